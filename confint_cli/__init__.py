"""Confidence intervals for information-retrieval evaluation scores."""

__version__ = "0.11.1"
