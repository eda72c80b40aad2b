# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files written: whole or not at all, valid, and never in place of an input."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.behaviour.product import GOLD, analyze, json_of, tbsa
from tests.behaviour.scans import SMALL, scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import pairs_named

REPORTS = sorted(GOLD.glob("*.report.jsonl"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two reports, a calibration and a file of tiers, in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        scan(tmp_path, name=name)
    calibration = {"probe.P00/D": {"mu": 0.5, "sigma": 0.1}}
    (tmp_path / "c.json").write_text(json.dumps(calibration), encoding="utf-8")
    (tmp_path / "tiers.json").write_text('{"x.Y": 1}', encoding="utf-8")
    return tmp_path


OF_INPUT = {
    "score a.report.jsonl -j a.report.jsonl": "a.report.jsonl",
    "score -r a.report.jsonl --html ./a.report.jsonl": "a.report.jsonl",
    "score -r a.report.jsonl --sarif nowhere/../a.report.jsonl": "a.report.jsonl",
    "score soft.report.jsonl -j a.report.jsonl": "soft.report.jsonl",
    "score a.report.jsonl -j soft.report.jsonl": "a.report.jsonl",
    "score hard.report.jsonl -j a.report.jsonl": "hard.report.jsonl",
    "score a.report.jsonl -j hard.report.jsonl": "a.report.jsonl",
    "score file://a.report.jsonl -j a.report.jsonl": "file://a.report.jsonl",
    "score local://a.report.jsonl -j a.report.jsonl": "local://a.report.jsonl",
    "score a.report.jsonl --baseline b.report.jsonl --junit b.report.jsonl": (
        "b.report.jsonl"
    ),
    "score a.report.jsonl --calibration c.json -j c.json": "c.json",
    "score a.report.jsonl --tiers tiers.json -j tiers.json": "tiers.json",
    "score . -j b.report.jsonl": "./b.report.jsonl",
    "score a.report.jsonl b.report.jsonl -j b.report.jsonl": "b.report.jsonl",
    "compare a.report.jsonl b.report.jsonl -j b.report.jsonl": "b.report.jsonl",
    "compare a.report.jsonl b.report.jsonl --html a.report.jsonl": "a.report.jsonl",
    "explain a.report.jsonl -j a.report.jsonl": "a.report.jsonl",
    "history . --jsonl b.report.jsonl": "./b.report.jsonl",
}
OLDER = '{\n "schema_version": 3,\n "reports": [],\n "unreadable": []\n}\n'
"""What 0.2 wrote as JSON."""

OF_OUTPUT = {
    "score a.report.jsonl --junit x --sarif x": "--junit",
    "score a.report.jsonl -j ./new --html new": "-j",
    "history . --jsonl h --html h": "--jsonl",
}


def test_no_output_replaces_an_input_or_another_output(folder: Path) -> None:
    """By whichever path; nothing is written then."""
    (folder / "soft.report.jsonl").symlink_to(folder / "a.report.jsonl")
    (folder / "hard.report.jsonl").hardlink_to(folder / "a.report.jsonl")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    taken = {command: f"the input {name}" for command, name in OF_INPUT.items()}
    taken |= {command: f"the output of {name}" for command, name in OF_OUTPUT.items()}
    for command, what in taken.items():
        shown = tbsa(*command.split())
        assert shown.code == 2, command
        assert shown.error == (
            f"garak-tbsa: {' '.join(command.split()[-2:])}: would overwrite {what};"
            " give each output a path of its own"
        )
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_replaces_nothing_may_repeat(folder: Path) -> None:
    null = ("-j", os.devnull, "--html", os.devnull, "--markdown", "/dev/fd/2")
    assert tbsa("score", "a.report.jsonl", "-q", *null).code == 0
    given = (folder / "a.report.jsonl").read_bytes()
    for output in ("-", "new.json"):
        assert tbsa("score", "-", "-q", "-j", output, stdin=given).code == 0


def test_mode_and_links_of_an_older_output_stay(folder: Path) -> None:
    older, link = folder / "older.json", folder / "link.json"
    older.write_text(OLDER)
    older.chmod(0o640)
    link.symlink_to(older)
    assert tbsa("score", "-q", "a.report.jsonl", "-j", link).code == 0
    assert link.is_symlink()
    assert json_of(older)["tbsa"] == 3.7
    assert stat.S_IMODE(older.stat().st_mode) == 0o640


def not_written(path: Path, why: str) -> str:
    return (
        f"garak-tbsa: {path}: cannot be written ({why}); nothing was changed there;"
        " choose a writable place with free space"
    )


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_full_disk_leaves_the_older_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    older = folder / "older.json"
    older.write_text(OLDER)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        shown = tbsa("score", "-q", "a.report.jsonl", "-j", older)
    assert shown == (1, "", f"{not_written(older, 'No space left on device')}\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


FORMS = {
    "-j": "o.json",
    "--html": "o.html",
    "--markdown": "o.md",
    "--junit": "o.xml",
    "--sarif": "o.sarif",
}


def test_every_form_of_a_score_is_written_and_valid(tmp_path: Path) -> None:
    """A report that is read stays as it was, and gives the same bytes again."""
    given = [part for option in FORMS for part in (option, tmp_path / FORMS[option])]
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in REPORTS]
    for report in REPORTS:
        assert tbsa("score", "--no-interval", *given, report).code == 0
        score, sarif = (json_of(tmp_path / name) for name in ("o.json", "o.sarif"))
        assert_keeps_schema(score, "score.schema.json")
        tbsa_ = str(score["tbsa"])
        assert sarif["version"] == "2.1.0"
        assert sarif["runs"][0]["properties"]["tbsa"] == score["tbsa"]
        cases = ElementTree.parse(tmp_path / "o.xml").iter("testcase")
        counted = {"garak-tbsa.tier1", "garak-tbsa.tier2"}
        names = [case for case in cases if case.get("classname") in counted]
        assert len(names) == len(score["pairs"])
        for name in ("o.html", "o.md"):
            text = (tmp_path / name).read_text(encoding="utf-8")
            assert f"TBSA {tbsa_}" in text or f">{tbsa_}<" in text
            said = text.replace("\\", "").replace("_", "")
            worst = [pair["probe"] for pair in score["pairs"] if pair["grade"] == 1]
            assert [
                probe for probe in worst if probe.replace("_", "") not in said
            ] == []
    assert before == [(path.read_bytes(), path.stat().st_mtime_ns) for path in REPORTS]
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(written) == {*FORMS.values()}
    assert tbsa("score", "--no-interval", *given, REPORTS[-1]).code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == written


def test_an_output_that_cannot_be_written_leaves_no_half(tmp_path: Path) -> None:
    path = scan(tmp_path)
    nowhere = path / "o.json"
    shown = tbsa("score", "-q", "-j", nowhere, path)
    assert (shown.code, shown.error) == (1, not_written(nowhere, "File exists"))
    taken = tmp_path / "taken"
    taken.mkdir()
    shown = tbsa("score", "-q", "-j", taken, path)
    assert shown.code == 2
    assert shown.error == f"garak-tbsa: -j {taken}: a folder; name a file in it"
    new = tmp_path / "new" / "folder" / "o.json"
    assert tbsa("score", "-q", "-j", new, path).code == 0
    assert json_of(new)["tbsa"] == 3.7
    older = tmp_path / "older.json"
    older.write_text(OLDER)
    shown = tbsa("score", "-q", "-j", older, tmp_path / "missing.report.jsonl")
    assert (shown.code, older.read_bytes()) == (1, OLDER.encode())
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"scan.report.jsonl", "taken", "older.json", "new"}


def test_garaks_own_flags_write_garaks_own_json(tmp_path: Path) -> None:
    path, output = scan(tmp_path, pairs_named(*SMALL)), tmp_path / "o.json"
    shown = analyze("-r", path, "-q", "-j", output)
    assert (shown.code, shown.out, shown.err) == (0, "", "")
    found = json_of(output)
    keys = ["tbsa", "version_probe_hash", "probe_detector_pairs_contributing"]
    assert {key: found[key] for key in [*keys, "infile", "run_id"]} == {
        "tbsa": 3.7,
        "version_probe_hash": "bbd22d66",
        "probe_detector_pairs_contributing": 3,
        "infile": str(path),
        "run_id": "11111111-2222-3333-4444-555555555555",
    }
