"""Confidence intervals for information-retrieval evaluation scores."""

__version__ = "0.4.0"
