# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What garak's real detectors make of rows, by the command that evaluates them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.behaviour.labelled import write_lines
from tests.behaviour.product import tbsa

Raw = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Saved rows, why the detector could not run, and what it was set to."""

    rows: list[Raw]
    failure: str | None
    options: Raw

    @property
    def scores(self) -> list[float | None]:
        """Of each row."""
        return [row["score"] for row in self.rows]


def row(output: str | None = "text", **fields: Any) -> Raw:
    """Return a row."""
    return {"output": output, "label": "hit", "prompt": "Hello"} | fields


def judged(detector: str, *rows: Raw, options: Raw | None = None) -> Judged:
    """Run a detector on rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shown = tbsa(
            *("detectors", "evaluate", "--detectors", detector, "-q"),
            *("--data", write_lines(folder / "rows.jsonl", rows)),
            *("--output", folder / "summary.json", "--save-datasets", folder / "saved"),
            *("--detector-options", json.dumps(options or {})),
        )
        assert (folder / "summary.json").exists(), shown
        summary = json.loads((folder / "summary.json").read_text("utf-8"))
        saved = [
            json.loads(line)
            for path in folder.glob("saved/*")
            for line in path.read_text("utf-8").splitlines()
        ]
    errors = [error["reason"] for error in summary["metadata"]["errors"]]
    return Judged(
        rows=saved,
        failure=errors[0] if errors else None,
        options=summary["results"].get(detector, {}).get("options", {}),
    )
