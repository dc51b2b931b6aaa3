"""One thin file here a command: its options, and one call."""
