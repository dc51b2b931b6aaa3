"""Whether what is promised for all pairs of runs at once holds, where that is hardest.

`make reproduce` writes docs/levels.md; tests/levels/test_levels.py is a quick form of it.
"""
