"""The scripts that make what is made here; `make docs` and `make pictures` run them."""
