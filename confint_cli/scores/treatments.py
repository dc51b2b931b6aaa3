"""What may become of documents that nobody judged: names that are quick to import."""

IRRELEVANT, SKIP, BOUNDS = "irrelevant", "skip", "bounds"
TREATMENTS = (IRRELEVANT, SKIP, BOUNDS)
"""As in trec_eval, left out, or all that may be."""

SHARES, CONDENSED, LEAST, LARGEST = "shares", "condensed", "least", "largest"
"""What there may be beside scores: judged shares, scores without unjudged documents, bounds."""
