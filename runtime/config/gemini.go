package config

func geminiPlaces(*site) []place { return nil }
