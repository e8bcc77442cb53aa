package config

func mcphubPlaces(*site) []place { return nil }
