"""How often intervals and tests err on real scores: what docs/choosing.md advises rests on it.

`populations` has the scores, `study` the experiments, `page` what the page says of them, `run`
writes it (`make reproduce`).
"""
