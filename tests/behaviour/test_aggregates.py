# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports that garak joined are whole; what their checksum may not cover is said."""

from __future__ import annotations

import html
import json
import os
import shutil
from pathlib import Path
from typing import Any

import fsspec
import pytest

import garak_tbsa
from tests.behaviour.product import GOLD, Shown, json_of, python, rows_of, tbsa
from tests.gold import gold_reports
from tests.halves import half
from tests.report_rows import to_bytes

WHOLE = GOLD / "garak-0.17.1.report.jsonl"
PARTS = ("one.report.jsonl", "two.report.jsonl")
COVERS = "an aggregate, whose checksum covers the settings of its lead report alone: "
NOT_FOUND = f"{COVERS}not found, or no report: "


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two parts of a scan, and with what garak makes of them."""
    folder = tmp_path_factory.mktemp("joined")
    for number, name in enumerate(PARTS):
        (folder / name).write_bytes(half(WHOLE.read_bytes(), number))
    join = ("-m", "garak.analyze.aggregate_reports", "-o", "all.report.jsonl")
    made = python(*join, *PARTS, folder=folder)
    assert made.code == 0, made
    return folder


@pytest.fixture
def folder(joined: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(joined, tmp_path / "runs"))


def change(path: Path, **setup: Any) -> None:
    """Change the setup of a report, in its first row and in its digest."""
    rows = rows_of(path)
    for row in (rows[0], rows[-1]["meta"]["setup"]):
        row.update(setup)
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def warnings_of(path: Path) -> tuple[str, ...]:
    return garak_tbsa.score(path, interval=False).warnings


def test_an_aggregate_is_the_scan_that_was_run_in_parts(folder: Path) -> None:
    """Not partial, and nothing is said where settings are the same."""
    report = folder / "all.report.jsonl"
    whole, found = (garak_tbsa.score(path).to_dict() for path in (WHOLE, report))
    assert (found["partial"], found["partial_reason"]) == (False, None)
    assert found["warnings"] == []
    same = ("tbsa", "raw_tbsa", "checksum", "version_probe_hash", "pairs", "left_out")
    for name in (*same, "tiers", "repeat_interval"):
        assert found[name] == whole[name], name
    missing = [tbsa("score", "-q", "--strict", path).err for path in (WHOLE, report)]
    assert missing[1] == missing[0].replace(str(WHOLE), str(report))


def test_settings_that_differ_are_named_in_every_form(folder: Path) -> None:
    before = garak_tbsa.score(folder / "all.report.jsonl")
    change(folder / PARTS[1], **{"run.generations": 9, "run.deprefix": False})
    change(folder / PARTS[1], **{"run.seed": 3, "reporting.report_prefix": "x"})
    report = folder / "all.report.jsonl"
    warning = f"{COVERS}run.deprefix, run.generations differ in {PARTS[1]}"
    found = garak_tbsa.score(report)
    assert found.warnings == (warning,)
    assert (found.tbsa, found.checksum) == (before.tbsa, before.checksum)
    forms = [folder / f"out.{kind}" for kind in ("json", "html", "md", "xml")]
    flags = ("-j", "--html", "--markdown", "--junit")
    given = [each for both in zip(flags, forms, strict=True) for each in both]
    shown = tbsa("score", "--github", report, *given)
    assert [path for path in forms if warning not in plain(path)] == []
    assert "::warning" in shown.out
    compared, page = folder / "compared.json", folder / "history.html"
    lines = folder / "history.jsonl"
    for command in (
        ("score", report),
        ("score", "-v", report),
        ("score", report, WHOLE),
        ("explain", report),
        ("compare", WHOLE, report, "-j", compared),
        ("history", report, "--no-interval", "--html", page, "--jsonl", lines),
    ):
        assert warning in said(tbsa(*command)), command
    assert json_of(compared)["second"]["warnings"] == [warning]
    assert warning in plain(page)
    assert json.loads(lines.read_text())["not_covered"] == warning
    strict = tbsa("score", "-q", "--strict", report)
    assert (strict.code, warning in strict.err) == (1, True)


def said(shown: Shown) -> str:
    """Its text with lines that are folded put together."""
    return " ".join(shown.out.split())


def plain(path: Path) -> str:
    """A form's text as its reader sees it."""
    return html.unescape(path.read_text(encoding="utf-8"))


def test_parts_that_are_not_there_are_named(folder: Path) -> None:
    report = folder / "all.report.jsonl"
    (folder / PARTS[1]).unlink()
    assert warnings_of(report) == (NOT_FOUND + PARTS[1],)
    (folder / PARTS[1]).write_text("<html>")
    assert warnings_of(report) == (NOT_FOUND + PARTS[1],)
    change(folder / PARTS[0], **{"run.generations": 9})
    assert warnings_of(report) == (
        f"{COVERS}run.generations differs in {PARTS[0]}; not found, or no report:"
        f" {PARTS[1]}",
    )
    names = [f"{number}.jsonl" for number in range(2000)]
    change(report, aggregation=names)
    assert warnings_of(report) == (f"{NOT_FOUND}{', '.join(names[:3])} and 1,997 more",)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("runs/below/two.jsonl", "below/two.jsonl"),
        ("runs/two.jsonl", "/gone/two.jsonl"),
        ("runs/two.jsonl", "elsewhere/two.jsonl"),
        ("else/two.jsonl", "else/two.jsonl"),
    ],
)
def test_parts_are_looked_for_where_they_may_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, name: str
) -> None:
    """From the aggregate's folder, beside it, and from the working folder."""
    report, part = folder / "all.report.jsonl", folder.parent / place
    part.parent.mkdir(exist_ok=True)
    (folder / PARTS[1]).rename(part)
    change(part, **{"run.generations": 9})
    change(report, aggregation=[PARTS[0], name])
    monkeypatch.chdir(folder.parent)
    assert warnings_of(report) == (f"{COVERS}run.generations differs in {name}",)
    part.unlink()
    assert warnings_of(report) == (NOT_FOUND + name,)
    change(report, aggregation=[str(folder / PARTS[0])])
    assert warnings_of(report) == ()


def test_a_name_opens_nothing_but_an_ordinary_file(folder: Path) -> None:
    """No pipe, which would never end, no device, and nothing over a network."""
    report = folder / "all.report.jsonl"
    os.mkfifo(folder / "pipe")
    with fsspec.open("memory://part", "wb") as file:
        file.write((folder / PARTS[1]).read_bytes())
    (folder / "memory:").mkdir()
    shutil.copy(folder / PARTS[1], folder / "memory:" / "part")
    for name in (
        *("pipe", "/dev/zero", "/dev/stdin", "-", "/proc/self/environ", ".", ""),
        *("memory://part", "//server/share/part", "\\\\server\\share", "x" * 9999),
    ):
        change(report, aggregation=[name])
        (warning,) = warnings_of(report)
        assert warning.startswith(NOT_FOUND), name
    change(report, aggregation=["\0\x1b\n::error::\u202e\ud800"])
    shown = tbsa("score", report)
    assert "\\x00\\x1b\\n::error::\\u202e" in said(shown)
    for nothing in ([], None, {"a": 1}, "one.report.jsonl", 3, [4]):
        change(report, aggregation=nothing)
        assert warnings_of(report) == (f"{COVERS}it does not name its reports",)


OF_SCANS = [path for path in gold_reports() if path.name != "aggregated.report.jsonl"]


@pytest.mark.parametrize("report", OF_SCANS, ids=lambda path: path.name)
def test_no_aggregate_of_any_release_is_partial(report: Path, tmp_path: Path) -> None:
    """With or without completion and digest, wherever it says that it is one."""
    rows = [json.loads(line) for line in report.read_bytes().splitlines()[:-1]]
    last = report.read_bytes().splitlines()[-1]
    digest = json.loads(last) if b'"digest"' in last[:30] else None
    path = tmp_path / "all.report.jsonl"
    stated = {"aggregation": ["gone.jsonl"]}
    bare = [row for row in rows if row["entry_type"] != "completion"]
    opened = [bare[0] | stated, *bare[1:]]
    made = [opened, [*opened, {"entry_type": "completion"}]]
    if digest is not None:
        meta = digest["meta"] | {"setup": digest["meta"].get("setup", {}) | stated}
        made += [[*opened, digest], [*bare, digest | {"meta": meta}]]
    for each in made:
        path.write_bytes(to_bytes(each))
        found = garak_tbsa.score(path, interval=False)
        assert found.partial is None
        assert f"{NOT_FOUND}gone.jsonl" in found.warnings
