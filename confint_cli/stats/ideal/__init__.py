"""The bootstrap without random numbers: what infinitely many resamples would give.

Efron and Tibshirani (An Introduction to the Bootstrap, 1993) call it the ideal bootstrap. `mean`
has the distribution of the mean m* of topics drawn with replacement, `studentized` that of
z* = (m*-m)/se*, `enumeration` both of few distinct scores, and `bootstrap` decides which way each
column of scores takes. `covering` asks how often intervals of many samples cover the truth.
"""
