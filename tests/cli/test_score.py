# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``: several reports, what it reads, and what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.report.report import Report
from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import of_another_run
from tests.numpy_alone import numpy_alone
from tests.report_rows import write_alike
from tests.unmeasured import unmeasured

REPORT = str(GOLD / "garak-0.17.1.report.jsonl")
OLDER = str(GOLD / "garak-0.16.0.report.jsonl")
CUT = str(GOLD / "cut-short.report.jsonl")


def test_a_form_for_one_report_refuses_several(tmp_path: Path) -> None:
    """All but JSON show one."""
    for form in ("html", "markdown", "junit", "sarif"):
        shown = tbsa("score", f"--{form}", tmp_path / "out", REPORT, OLDER)
        assert shown.code == 2
        assert shown.error == (
            f"garak-tbsa: --{form} shows one report, and several were given;"
            " give one, or -j for all of them"
        )
    assert list(tmp_path.iterdir()) == []


def test_attempts_are_read_unless_nobody_sees_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-q and --no-interval take the digest alone; --sure judges by the attempts."""
    asked: list[object] = []

    def noted(report: Report) -> Any:
        asked.append(report.source)
        return report.reading.outcomes

    monkeypatch.setattr(Report, "outcomes", property(noted))
    report, output = write_alike(tmp_path), tmp_path / "out.json"
    gate = ("--fail-under", 1)
    silent: list[tuple[object, ...]] = [
        ("-q",),
        ("--no-interval", "-j", output),
        ("-q", "--no-interval", *gate),
        (REPORT,),
    ]
    for options in silent:
        assert tbsa("score", report, *options).code == 0
    assert not asked
    reading: list[tuple[object, ...]] = [
        (),
        ("-q", "-j", output),
        (*gate, "--sure", 0.5),
        ("-q", "--no-interval", *gate, "--sure", 0.5),
    ]
    for options in reading:
        asked.clear()
        assert tbsa("score", report, *options).code == 0
        assert report in asked


def test_a_report_from_standard_input_is_known_by_counts_alone(tmp_path: Path) -> None:
    """It can be read only once, and the digest comes last."""
    content = Path(write_alike(tmp_path)).read_bytes()
    out = " ".join(tbsa("score", "-v", "-", stdin=content).out.split())
    assert (
        "from pass counts alone (standard input can be read only once): how alike"
        " outputs of one prompt are is not known, and the range allows for it;" in out
    )


def test_what_makes_a_score_doubtful_is_said() -> None:
    """A partial scan, a line that is cut off, a probe with another name today."""
    said = {
        CUT: (
            "⚠️ Partial: no completion row: the scan was interrupted with 12 of 13"
            " probes judged ⚠️ 9 of 11 selected probes measured; web_injection.TaskXSS:"
            " the scan was interrupted before it ⚠️ line 61 is cut off and was left out"
        ),
        str(GOLD / "garak-0.11.0.report.jsonl"): (
            "⚠️ tiers found by the newer names of these probes: xss.MarkdownImageExfil"
            " is web_injection.MarkdownImageExfil"
        ),
    }
    for report, words in said.items():
        assert words in " ".join(tbsa("score", report).out.split())


def test_several_reports_are_told_each_by_name(tmp_path: Path) -> None:
    """Judged one by one, and one that is none hides no other."""
    shown = tbsa("score", REPORT, CUT, "--fail-under", "4.2")
    judged = shown.out[shown.out.index("📜") :].splitlines()
    assert shown.code == 3
    assert [line.split(":")[0] for line in judged] == [
        f"📜 {REPORT}",
        "❌ gate failed",
        f"📜 {CUT}",
        "✔️ gate passed",
    ]
    failed = (
        f"garak-tbsa: {REPORT}: gate failed: fail-under:"
        " expected TBSA of at least 4.2; found TBSA 4.1\n"
    )
    for reports in ([REPORT], [REPORT, CUT]):
        quiet = tbsa("score", "-q", *reports, "--fail-under", "4.2")
        assert (quiet.code, "gate" in quiet.out, quiet.err) == (3, False, failed)
    assert tbsa("score", "-q", "--fail-under", "4.1", REPORT).err == ""
    shown = tbsa("score", "missing", REPORT, OLDER, "-v", "--explain-checksum")
    assert shown.code == 1
    assert shown.out.count("📜 Report file: ") == shown.out.count("covers:") == 2
    assert shown.err.startswith("garak-tbsa: missing: cannot be opened")


def test_strict_names_every_report_that_falls_short() -> None:
    """Whether their gates pass or not."""
    shown = tbsa("score", "--strict", "--fail-under", "1", REPORT, CUT)
    assert (shown.code, shown.out.count("gate passed")) == (1, 2)
    assert [line.split(": --strict")[0] for line in shown.err.splitlines()] == [
        f"garak-tbsa: {REPORT}",
        f"garak-tbsa: {CUT}",
    ]


def test_reports_of_a_folder_are_named_from_there(tmp_path: Path) -> None:
    """The folder was given; its name in each row says nothing."""
    folder = tmp_path / "long"
    for name in ("a", "b"):
        (folder / name).mkdir(parents=True)
        path = folder / name / "x.report.jsonl"
        path.write_bytes(Path(REPORT).read_bytes())
    shown = tbsa("score", folder)
    assert str(folder) not in shown.out
    assert "  a/x.report.jsonl\n" in shown.out


def test_a_score_needs_numpy_alone(tmp_path: Path) -> None:
    """Gates, a baseline and the files too, on a machine without garak."""
    path = os.pathsep.join([str(numpy_alone(tmp_path)), str(GOLD.parents[1])])

    def alone(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-S", "-m", "garak_tbsa", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            env=unmeasured(PYTHONIOENCODING="utf-8", PYTHONPATH=path),
            check=False,
        )

    forms = ("json_output", "junit", "sarif")
    written_to = [f"--{form}={tmp_path / form}" for form in forms]
    gate = ("--fail-under", 3, "--require-tier1-grade", 1)
    ended = alone("score", REPORT, *gate, "--no-evidence", *written_to)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert all((tmp_path / form).stat().st_size for form in forms)
    earlier = of_another_run(Path(REPORT), tmp_path / "earlier.report.jsonl")
    quiet = alone("score", "-q", REPORT, "--baseline", earlier)
    assert (quiet.returncode, quiet.stdout) == (3, tbsa("score", "-q", REPORT).out)
    assert "baseline: not judged, since no garak is installed here" in quiet.stderr
    for command in (("explain", REPORT), ("compare", REPORT, REPORT)):
        ended = alone(*command)
        assert (ended.returncode, ended.stderr) == (0, "")
    without_garak = "for this report (no garak is installed here)."
    assert without_garak in alone("explain", REPORT).stdout
    for form in ("--html", "--markdown"):
        ended = alone("score", REPORT, form, tmp_path / "filled")
        assert ended.returncode == 1
        assert ended.stderr.startswith("garak-tbsa: this needs jinja2, and ")


def test_json_is_that_of_explain_but_for_garaks_number_and_remarks(
    tmp_path: Path,
) -> None:
    """Explain asks how far detectors can be trusted."""
    explained = document(tmp_path, "explain", REPORT)
    reasons = explained["explanation"]
    assert reasons.pop("garak_tbsa") == 4.1
    assert reasons.pop("garak_missing_because") is None
    scored = document(tmp_path, "score", REPORT)
    for each in (explained, scored):
        for pair in each["explanation"]["fix_first"]:
            pair.pop("remark")
    assert explained == scored
