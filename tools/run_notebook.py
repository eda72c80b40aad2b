# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run docs/how_to/notebook.ipynb, and keep what its cells show.

``python -m tools.run_notebook`` writes the notebook's outputs and the page that shows
them again. What a cell draws is shown by its picture alone.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from garak_tbsa.demo import FILES, content_of

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "how_to"
NOTEBOOK = FOLDER / "notebook.ipynb"
PAGE = FOLDER / "notebook.md"
TEXT, HTML, PNG = "text/plain", "text/html", "image/png"
STYLE = "figure.figsize: 6, 3.2\nfigure.dpi: 80\n"

Notebook = dict[str, Any]
Output = dict[str, Any]


def read(path: Path = NOTEBOOK) -> Notebook:
    """Return the notebook as it is stored."""
    notebook: Notebook = json.loads(path.read_text("utf-8"))
    return notebook


def executed(notebook: Notebook) -> Notebook:
    """Return the notebook with the outputs that its cells give now.

    It runs in a folder with the demo's files; whatever a cell raises ends it.
    """
    # only `make check` has a kernel, and who writes the page
    import nbformat
    from nbclient import NotebookClient

    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            Path(folder, name).write_bytes(content_of(name))
        Path(folder, "matplotlibrc").write_text(STYLE, "utf-8")
        made = NotebookClient(
            nbformat.reads(json.dumps(notebook), as_version=4),
            record_timing=False,
            resources={"metadata": {"path": folder}},
            timeout=300,
        ).execute()
    fresh: Notebook = json.loads(nbformat.writes(made))
    for cell in fresh["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            cell["outputs"] = [each for each in cell["outputs"] if not _is_axes(each)]
    return fresh


def _is_axes(output: Output) -> bool:
    return "".join(output.get("data", {}).get(TEXT, ())).startswith("<Axes")


def without_pictures(notebook: Notebook) -> list[list[Output]]:
    """Return the outputs that are the same on every machine, cell by cell."""
    return [
        [each for each in cell.get("outputs", ()) if PNG not in each.get("data", ())]
        for cell in notebook["cells"]
    ]


def page(notebook: Notebook) -> tuple[str, dict[str, bytes]]:
    """Return the page that shows the notebook, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if PNG in data:
                name = f"notebook_{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode(data[PNG])
                parts.append(f"![what the cell above draws]({name})")
            elif HTML in data:
                parts.append(f"```{{raw}} html\n{''.join(data[HTML])}\n```")
            else:
                text = "".join(output.get("text") or data[TEXT])
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n", pictures


def run(arguments: list[str]) -> int:
    """Write notebook, page and pictures; with ``--check`` only say if they are old."""
    stored = read()
    fresh = executed(stored)
    if "--check" in arguments:
        current = without_pictures(stored) == without_pictures(fresh)
        if current and PAGE.read_text("utf-8") == page(stored)[0]:
            return 0
        sys.stderr.write(f"{NOTEBOOK.name} is old: python -m tools.run_notebook\n")
        return 1
    text = json.dumps(fresh, indent=1, ensure_ascii=False, allow_nan=False)
    NOTEBOOK.write_text(text + "\n", "utf-8")
    shown, pictures = page(fresh)
    PAGE.write_text(shown, "utf-8")
    for name, content in pictures.items():
        (FOLDER / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    raise SystemExit(run(sys.argv[1:]))
