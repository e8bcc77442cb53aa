"""The dialogues of conformance/, played to the client with the sidecar's side."""
