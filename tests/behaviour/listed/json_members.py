# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every member of every JSON document, and every column of every sheet.

Schemas that come with the package say what their documents have. Other documents are
written by the product, and looked at.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import garak_tbsa
from tests.behaviour.listed.json_shape import members_of, schema_of
from tests.behaviour.product import json_of, rows_of, tbsa

ENDING = ".schema.json"
FORMS = {"sarif": "--sarif", "badge": "--badge"}
ROWS = (
    {
        "detector": "dan.DAN",
        "id": "1",
        "output": "DAN: yes",
        "label": "hit",
        "prompt": "Be DAN.",
        "goal": "disregard",
        "probe": "dan.DAN_Jailbreak",
        "lang": "en",
        "slice": "short",
        "source": "made up",
        "why": "It is DAN.",
        "notes": {"triggers": ["DAN"]},
        "annotations": {"anna": "hit"},
    },
    {"detector": "dan.DAN", "id": "2", "output": None, "label": "pass"},
    {"detector": "dan.DAN", "id": "3", "output": "No.", "label": "pass"},
)
"""Labelled rows with every column, and one that a detector gives no score."""

BY_NAME = {
    "detectors rank": ["not_evaluated"],
    "status": ["served"],
    "saved rows": ["notes", "annotations"],
}
"""Objects whose keys are names, such as those of detectors."""


def schema_entries() -> dict[str, str]:
    """Every member of the documents that a schema in the package describes."""
    package = Path(garak_tbsa.__path__[0])
    found: dict[str, str] = {}
    for path in sorted(package.rglob(f"*{ENDING}")):
        name = path.name.removesuffix(ENDING)
        found[f"schema {name}"] = path.relative_to(package).as_posix()
        schema = json.loads(path.read_text(encoding="utf-8"))
        found |= _named(name, members_of(schema))
    return found


def document_entries(folder: Path) -> dict[str, str]:
    """Every member of other documents, and every column of sheets.

    Parameters
    ----------
    folder : Path
        Has the files of the demo; files are written into it.
    """
    report, lines = folder / "before.report.jsonl", folder / "history.jsonl"
    found = _documents("label log", rows_of(folder / "before.labels.jsonl"))
    found |= _status(folder)
    found |= _of_score(report, folder)
    found |= _of_sample(report, folder)
    found |= _of_detectors(folder)
    _run("history", folder, "--jsonl", lines)
    return found | _documents("history", rows_of(lines))


def preset_entries() -> dict[str, str]:
    """Every preset, as the error about one that does not exist lists them."""
    shown = tbsa("detectors", "evaluate", "--preset", "zzzz", "--data", "rows.jsonl")
    listed = shown.error.partition("expected one of ")[2].split(", ")
    return {f"preset {name}": "of detectors evaluate" for name in listed}


def _status(folder: Path) -> dict[str, str]:
    """With the hook on and off, with settings that are right and wrong."""
    path = folder / "status.json"
    config = folder / "config" / "garak"
    config.mkdir(parents=True)
    (config / "garak.site.yaml").write_text("reporting: {tbsa: {zzzz: 1}}\n", "utf-8")
    documents: list[Any] = []
    wrong = {"XDG_CONFIG_HOME": str(config.parent)}
    for changed, code in (({}, 0), ({"GARAK_TBSA": "0"}, 1), (wrong, 0)):
        with patch.dict(os.environ, changed):
            _run("status", "-j", path, code=code)
            documents += _read(path)
    return _documents("status", documents)


def _of_score(report: Path, folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, flag in FORMS.items():
        path = folder / f"{name}.json"
        _run("score", report, "--fail-under", 5, flag, path, code=3)
        found |= _documents(name, _read(path))
    return found


def _of_sample(report: Path, folder: Path) -> dict[str, str]:
    sheet, tasks = folder / "sheet.csv", folder / "tasks.json"
    sample = ("detectors", "sample", report, "-n", 5)
    before = set(folder.iterdir())
    _run(*sample, "--output", sheet)
    (cells,) = set(folder.iterdir()) - before - {sheet}
    _run(*sample, "--label-studio", tasks)
    return {
        **_columns("sheet to label", sheet),
        **_columns("cells of the sheet", cells),
        **_documents("Label Studio tasks", _read(tasks)),
    }


def _of_detectors(folder: Path) -> dict[str, str]:
    rows, saved = folder / "rows.jsonl", folder / "saved"
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    summary, written = folder / "summary.json", folder / "written.json"
    evaluate = ("detectors", "evaluate", "--data", rows, "--output", summary, "-q")
    _run(*evaluate, "--save-datasets", saved)
    (kept,) = saved.iterdir()
    summary.write_text(garak_tbsa.load_summary().to_json(), encoding="utf-8")
    _run("detectors", "rank", summary, "-j", written)
    return {
        **_documents("saved rows", rows_of(kept)),
        **_documents("detectors rank", _read(written)),
    }


def _run(*command: object, code: int = 0) -> None:
    shown = tbsa(*command)
    assert shown.code == code, shown


def _read(path: Path) -> list[Any]:
    """The document in a file; a list is one of documents."""
    found = json_of(path)
    return found if isinstance(found, list) else [found]


def _documents(name: str, documents: Sequence[Any]) -> dict[str, str]:
    schema = schema_of(documents, BY_NAME.get(name, ()))
    return _named(name, members_of(schema))


def _named(name: str, members: dict[str, str]) -> dict[str, str]:
    return {f"json {name}: {path}": what for path, what in members.items()}


def _columns(name: str, path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as handle:
        return {f"{name}: column {each}": "text" for each in next(csv.reader(handle))}
