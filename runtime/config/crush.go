package config

func crushPlaces(*site) []place { return nil }
