"""How near the bootstrap without random numbers comes to the truth, on real scores.

`make reproduce` writes the tables of docs/ideal.md; tests/ideal/test_study.py tries the study.
"""
