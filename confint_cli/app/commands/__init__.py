"""One thin file here a command: options → study → output."""
