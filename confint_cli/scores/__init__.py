"""From readings to scores: they are joined by topic, named, selected, checked, put in order.

Nothing here computes statistics, or speaks to the user.
"""
