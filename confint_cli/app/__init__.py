"""The program: commands, options, files that are written, messages, exit status.

Only this package reads the call, writes results and speaks to the user; it computes nothing.
"""
