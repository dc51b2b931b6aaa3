"""What every room needs: text of strangers, words, errors, arrays, tables, measures, workers.

Nothing here knows a file format, a statistic or the command line.
"""
