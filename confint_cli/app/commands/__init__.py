"""The commands: each is a thin file here, with its options and one call."""
