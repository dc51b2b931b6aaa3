"""`python -m confint_cli` is the same program as `confint`."""

from confint_cli.app.cli import main

if __name__ == "__main__":
    main()
