# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Make the gold reports again with the garak releases that wrote them.

``python -m tests.gold.scan FOLDER`` with one unpacked wheel per release in
FOLDER, as README.md says. Takes ten minutes; the tests need none of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
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
    "xss.MarkdownImageExfil",
    "web_injection.TaskXSS",
    "lmrc.QuackMedicine",
    "encoding.InjectQP",
    "doctor.Bypass",
    "test.Test",
)
NONES_SINCE = (0, 13, 1)
TARGET_FLAGS_SINCE = (0, 13, 1)
SPEC_SINCE = (0, 16)
KEPT_ATTEMPTS = 3
KEPT_TECHNIQUES = 3
LONGEST_TEXT = 64
PLUGIN_FIELDS = ("description", "tags", "tier", "goal", "primary_detector")

HOSTILE_NAME = "\x1b]0;owned\x07\x1b[2J evil\r\nTBSA: 5.0 \u202e\ufffd"

SCANS = {
    "garak-0.9": "0.9.0.8",
    "garak-0.10.3": "0.10.3",
    "garak-0.11.0": "0.11.0",
    "garak-0.12.0": "0.12.0",
    "garak-0.13.0": "0.13.0",
    "garak-0.13.3": "0.13.3",
    "garak-0.14.1": "0.14.1",
    "garak-0.15.1": "0.15.1",
    "garak-0.16.0": "0.16.0",
    "garak-0.17.1": "0.17.1",
}


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(int(part) for part in version.split("."))


class OldGarak:
    """One garak release, unpacked or installed.

    Parameters
    ----------
    version : str
    unpacked : Path
        Holds ``garak-<version>``; where it does not, the installed garak serves.
    work : Path
        Where it may write.
    """

    def __init__(self, version: str, unpacked: Path, work: Path) -> None:
        self.version = numbers(version)
        self.work = work
        package = unpacked / f"garak-{version}"
        self.package = package if package.is_dir() else _installed()
        # site-packages may hold a "tests" of its own, so it comes last
        paths = [str(package), str(ROOT)]
        self.environment = {
            **os.environ,
            **{f"XDG_{kind}_HOME": str(work) for kind in ("DATA", "CONFIG", "CACHE")},
            "HF_HUB_OFFLINE": "1",
            "GARAK_TBSA": "0",
            "PYTHONPATH": os.pathsep.join(paths),
        }

    def run(self, module: str, *arguments: str) -> None:
        """Run one of its modules."""
        subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=self.work,
            env=self.environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def has(self, probe: str) -> bool:
        """Whether this release has a probe."""
        module, name = probe.split(".")
        source = self.package / "garak" / "probes" / f"{module}.py"
        if not source.is_file():
            return False
        text = source.read_text(encoding="utf-8")
        return f"class {name}(" in text or f'"{name}"' in text

    def scan(self, prefix: str, function: str, probes: list[str], *more: str) -> Path:
        """Scan the offline target and return the report."""
        flags = "target" if self.version >= TARGET_FLAGS_SINCE else "model"
        kind = "function.Single" if self.version > (0, 9, 9) else "function"
        if self.version >= SPEC_SINCE:
            spec = ["--spec", ",".join(f"probes.{probe}" for probe in probes)]
        else:
            spec = ["--probes", ",".join(probes)]
        self.run(
            "garak",
            *(f"--{flags}_type", kind),
            *(f"--{flags}_name", f"tests.gold.target#{function}"),
            *("--generations", "1", "--seed", "1", "--report_prefix", prefix),
            *spec,
            *more,
        )
        return next(self.work.rglob(f"{prefix}.report.jsonl"))


def _installed() -> Path:
    from importlib.util import find_spec

    spec = find_spec("garak")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent.parent


def function_of(version: tuple[int, ...]) -> str:
    """Return the target function that suits a release."""
    if version < (0, 10):
        return "answer"
    return "answers_or_none" if version >= NONES_SINCE else "answers"


def rows_of(report: Path) -> list[dict[str, Any]]:
    """Return a report's rows."""
    lines = report.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


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


def write(name: str, rows: list[Any]) -> None:
    """Write a gold report; the last row without a newline, as garak does."""
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path = FOLDER / f"{name}.report.jsonl"
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(text) // 1024} KiB, {len(rows)} rows")


def variants(unpacked: Path, work: Path) -> None:
    """Write the reports that show more than their dialect."""
    garak = OldGarak("0.17.1", unpacked, work)
    paths = [str(work), str(garak.package)]
    rows = rows_of(FOLDER / "garak-0.17.1.report.jsonl")
    write("no-digest", [row for row in rows if row["entry_type"] != "digest"])
    cut_short(rows)
    probes = ["goodside.ThreatenJSON", "web_injection.TaskXSS", "test.Test"]
    grouped = garak.scan(
        "grouped",
        "answers",
        ["grandma.Win10", "latentinjection.LatentWhois", *probes],
        *("--taxonomy", "owasp"),
    )
    write("taxonomy-groups", thinned(rows_of(grouped), paths))
    hostile = thinned(rows_of(garak.scan("evil", "hostile", probes)), paths)
    write("hostile-text", _renamed(hostile, "tests.gold.target#hostile", HOSTILE_NAME))
    first = garak.scan("first", "answers", probes[:2])
    second = garak.scan("second", "answers", ["grandma.Win10"])
    joined = work / "joined.report.jsonl"
    garak.run(
        "garak.analyze.aggregate_reports",
        *("-o", str(joined), str(first), str(second)),
    )
    write("aggregated", thinned(rows_of(joined), paths))


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_renamed(entry, old, new) for entry in value]
    if isinstance(value, dict):
        return {key: _renamed(entry, old, new) for key, entry in value.items()}
    return new if value == old else value


def cut_short(rows: list[dict[str, Any]]) -> None:
    """Write a report whose scan was killed in the middle of a row."""
    last_eval = max(i for i, row in enumerate(rows) if row["entry_type"] == "eval")
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows[:last_eval])
    path = FOLDER / "cut-short.report.jsonl"
    half = json.dumps(rows[last_eval], ensure_ascii=False)[:60]
    path.write_text(f"{text}\n{half}", encoding="utf-8", newline="\n")


def main() -> None:
    """Scan with every release, or with those named after the folder."""
    unpacked = Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or [*SCANS, "variants"]
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            if name == "variants":
                variants(unpacked, work)
                continue
            garak = OldGarak(SCANS[name], unpacked, work)
            probes = [probe for probe in PROBES if garak.has(probe)]
            report = garak.scan("gold", function_of(garak.version), probes)
            paths = [str(work), str(garak.package), re.sub(r"/$", "", str(ROOT))]
            write(name, thinned(rows_of(report), paths))


if __name__ == "__main__":
    main()
