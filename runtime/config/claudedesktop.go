package config

func claudeDesktopPlaces(*site) []place { return nil }
