"""Confidence intervals for information-retrieval evaluation scores."""

__version__ = "0.12.1"
