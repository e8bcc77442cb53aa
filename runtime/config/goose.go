package config

func goosePlaces(*site) []place { return nil }
