"""The formats of per-topic scores: one file here a format, named as the user types it.

Each has a `FORMAT`: how to know it, how to read it, and what `confint formats` says of it.
"""
