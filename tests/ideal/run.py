"""How near the bootstrap without random numbers is to the truth: writes tables of docs/ideal.md."""

import sys

from confint_cli.common.parallel import prepare_for_arrays


def main() -> None:
    """Compute everything and write the section: that takes about eight minutes."""
    prepare_for_arrays()
    from tests.ideal.columns import columns
    from tests.ideal.page import OF_VERDICTS, put_into, section
    from tests.ideal.study import Found, study
    from tests.ideal.verdicts import verdicts
    from tests.reproduction.load import DATA, ROOT

    if not DATA.is_dir():
        sys.exit("make reproduce needs real evaluation data: set CONFINT_DATA to their folder")
    found: list[Found] = []
    for topics, some in columns().items():
        print(f"ideal: {len(some)} columns of {topics} topics", flush=True)
        found += study(some)
    page = ROOT / "docs" / "ideal.md"
    text = put_into(page.read_text(encoding="utf-8"), section(found))
    print("ideal: verdicts", flush=True)
    text = put_into(text, verdicts(), *OF_VERDICTS)
    page.write_text(text, encoding="utf-8")
    print(f"{page.relative_to(ROOT)} is written")


if __name__ == "__main__":
    main()
