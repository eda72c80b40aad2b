# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Run docs/how_to/notebook.ipynb cell by cell, and keep what its cells show.

There is no kernel: a kernel may hang, and these cells need none of what it adds. A cell
is run in the notebook's one namespace; its last expression is shown as Jupyter would,
and open figures are kept as pictures. ``python -m tools.run_notebook`` writes the
notebook's outputs and the page that shows them again.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from garak_tbsa.demo import FILES, content_of

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "how_to"
NOTEBOOK = FOLDER / "notebook.ipynb"
PAGE = FOLDER / "notebook.md"
TEXT, HTML, PNG = "text/plain", "text/html", "image/png"
INCHES, DOTS = (6.0, 3.2), 80

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
    import matplotlib

    matplotlib.use("Agg")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    with tempfile.TemporaryDirectory() as folder, _working_in(folder):
        for name in FILES:
            Path(name).write_bytes(content_of(name))
        for cell in notebook["cells"]:
            fresh = dict(cell)
            if cell["cell_type"] == "code":
                fresh["outputs"] = _outputs("".join(cell["source"]), namespace)
            cells.append(fresh)
    return {**notebook, "cells": cells}


@contextlib.contextmanager
def _working_in(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _outputs(source: str, namespace: dict[str, Any]) -> list[Output]:
    from matplotlib import pyplot

    body = ast.parse(source).body
    last: ast.Expression | None = None
    if body and isinstance(body[-1], ast.Expr):
        last = ast.Expression(body[-1].value)
        del body[-1]
    printed = io.StringIO()
    outputs: list[Output] = []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), namespace)  # noqa: S102
        shown = None
        if last is not None:
            shown = eval(compile(last, "<cell>", "eval"), namespace)  # noqa: S307
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    # axes are shown by their picture
    if shown is not None and not type(shown).__module__.startswith("matplotlib"):
        outputs.append(_result(shown))
    for number in pyplot.get_fignums():
        outputs.append(_picture(pyplot.figure(number)))
    pyplot.close("all")
    return outputs


def _result(shown: object) -> Output:
    data = {TEXT: repr(shown).splitlines(keepends=True)}
    as_html = getattr(shown, "_repr_html_", None)
    if as_html is not None:
        data[HTML] = as_html().splitlines(keepends=True)
    return {
        "output_type": "execute_result",
        "execution_count": None,
        "metadata": {},
        "data": data,
    }


def _picture(figure: Any) -> Output:
    figure.set_size_inches(*INCHES)
    content = io.BytesIO()
    figure.savefig(content, dpi=DOTS, metadata={"Software": None})
    encoded = base64.b64encode(content.getvalue()).decode()
    return {
        "output_type": "display_data",
        "metadata": {},
        "data": {PNG: encoded, TEXT: ["<Figure>"]},
    }


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
