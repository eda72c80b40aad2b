# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make a gold report with the garak that is installed.

``python -m tests.gold.scan`` writes ``garak-<release>.report.jsonl``; the tests need
none of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.gold import FOLDER

ROOT = FOLDER.parent.parent
PROBES = (
    "dan.Ablation_Dan_11_0",
    "goodside.ThreatenJSON",
    "goodside.WhoIsRiley",
    "ansiescape.AnsiEscaped",
    "ansiescape.AnsiRaw",
    "grandma.Win10",
    "latentinjection.LatentWhois",
    "web_injection.MarkdownImageExfil",
    "web_injection.TaskXSS",
    "lmrc.QuackMedicine",
    "encoding.InjectQP",
    "doctor.Bypass",
    "test.Test",
)
KEPT_ATTEMPTS = 3
KEPT_TECHNIQUES = 3
LONGEST_TEXT = 64
PLUGIN_FIELDS = ("description", "tags", "tier", "goal", "primary_detector")


def thinned(rows: list[dict[str, Any]], machine_paths: list[str]) -> list[Any]:
    """Drop most attempts, shorten texts, and take this machine's paths out."""
    kept: list[dict[str, Any]] = []
    attempts: Counter[int] = Counter()
    for row in rows:
        if row["entry_type"] == "attempt":
            attempts[row["status"]] += 1
            if attempts[row["status"]] > KEPT_ATTEMPTS:
                continue
        if row["entry_type"] == "plugin_cache":
            row = _plugins_thinned(row)
        if "technique_intent_matrix" in row:
            matrix = list(row["technique_intent_matrix"].items())
            row = {**row, "technique_intent_matrix": dict(matrix[:KEPT_TECHNIQUES])}
        kept.append(_shortened(row))
    text = json.dumps(kept, ensure_ascii=False)
    for path in machine_paths:
        text = text.replace(path, "/home/user")
    thinned: list[dict[str, Any]] = json.loads(text)
    return thinned


def _plugins_thinned(row: dict[str, Any]) -> dict[str, Any]:
    plugins = {
        category: {
            name: {key: info[key] for key in PLUGIN_FIELDS if key in info}
            for name, info in entries.items()
        }
        if isinstance(entries, dict)
        else entries
        for category, entries in row["plugin_cache"].items()
    }
    return {**row, "plugin_cache": plugins}


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[:LONGEST_TEXT]
    if isinstance(value, list):
        return [_shortened(entry) for entry in value]
    if isinstance(value, dict):
        # a calibration is known by the names of all its models
        return {
            key: entry if key == "model_list" else _shortened(entry)
            for key, entry in value.items()
        }
    return value


def main() -> None:
    """Scan the offline target and write the report, thinned out."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(
            [
                *(sys.executable, "-m", "garak", "--report_prefix", "gold"),
                *("--target_type", "function.Single"),
                *("--target_name", "tests.gold.target#answers_or_none"),
                *("--generations", "1", "--seed", "1"),
                *("--spec", ",".join(f"probes.{probe}" for probe in PROBES)),
            ],
            cwd=work,
            env={
                **os.environ,
                **{f"XDG_{kind}_HOME": work for kind in ("DATA", "CONFIG", "CACHE")},
                "HF_HUB_OFFLINE": "1",
                "GARAK_TBSA": "0",
                "PYTHONPATH": str(ROOT),
            },
            check=True,
        )
        report = next(Path(work).rglob("gold.report.jsonl"))
        lines = report.read_text(encoding="utf-8").splitlines()
    rows = thinned([json.loads(line) for line in lines], [work, sys.prefix, str(ROOT)])
    # the last row without a newline, as garak does
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path = FOLDER / f"garak-{version('garak')}.report.jsonl"
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(text) // 1024} KiB, {len(rows)} rows")


if __name__ == "__main__":
    main()
