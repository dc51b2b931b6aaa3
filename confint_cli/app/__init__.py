"""The program: commands, options, files that are written, messages, exit status.

Only this room meets the world; it computes nothing.
"""
