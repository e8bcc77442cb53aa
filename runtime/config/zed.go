package config

func zedPlaces(*site) []place { return nil }
