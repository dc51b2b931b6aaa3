"""What may become of documents that nobody judged: names that are quick to import."""

IRRELEVANT, SKIP, BOUNDS = "irrelevant", "skip", "bounds"
TREATMENTS = (IRRELEVANT, SKIP, BOUNDS)
"""Not relevant as in trec_eval, left out of rankings, or any grade at all."""

SHARES, CONDENSED, LEAST, LARGEST = "shares", "condensed", "least", "largest"
"""What there may be beside scores: judged shares, scores without unjudged documents, bounds."""
