"""The scripts that make generated pages and pictures; `make docs` and `make pictures` run them."""
