"""From readings to scores: loaded, joined by topic, named, selected, checked, put in order.

Nothing here computes statistics, or speaks to the user.
"""
