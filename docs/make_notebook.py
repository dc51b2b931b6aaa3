"""Run docs/notebook.ipynb and keep what its cells show: `make docs`.

python -m docs.make_notebook
"""

import os
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "notebook.ipynb"


def executed() -> Any:
    """Return the notebook with the outputs of all cells; an error in one of them is raised."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = str(NOTEBOOK.parent.parent)
    client = NotebookClient(
        notebook,
        timeout=120,
        resources={"metadata": {"path": folder}},
        coalesce_streams=True,  # else what is printed comes in as many pieces as the machine likes
    )
    return client.execute(env=os.environ | {"PYTHONPATH": folder})


def without_passing_things(notebook: Any) -> Any:
    """Return the notebook without what changes from run to run: times, ids and versions."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


def texts(notebook: Any) -> list[str]:
    """Return what cells show as text, without pictures."""
    return [
        str(output.get("data", {}).get("text/plain", output.get("text", "")))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" not in output.get("data", {})
    ]


def main() -> None:
    """Write the notebook anew, with what its cells show today."""
    import nbformat

    notebook = without_passing_things(executed())
    NOTEBOOK.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
