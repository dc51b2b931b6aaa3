"""One file here a question that users ask; each returns a Table."""
