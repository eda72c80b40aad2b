# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa score``: flags, outputs, and every kind of bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.garak_api.installed import installed_calibration
from garak_tbsa.garak_files.outcomes import Outcomes, outcomes_of_report
from garak_tbsa.garak_files.report import Report
from garak_tbsa.unavailable import Unavailable
from tests.cli.conftest import Shown
from tests.factories import (
    attempt_row,
    digest_row,
    pairs_named,
    report_rows,
    to_bytes,
    write_alike,
)
from tests.gold import FOLDER
from tests.numpy_alone import numpy_alone
from tests.unmeasured import unmeasured

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
OLDER = str(FOLDER / "garak-0.16.0.report.jsonl")
CUT = str(FOLDER / "cut-short.report.jsonl")
FACTS = pairs_named((1, 9, 10), (1, 5, 10), (2, 10, 10))
"""Uncalibrated grades 4, 3, 5: (2 * 24/7 + 5) / 3 = 3.95, a tie, so 4.0."""


def written(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def test_nohash_hides_hash_and_checksum(score: Callable[..., Shown]) -> None:
    assert "🔑" not in score(REPORT, "--nohash")[1]
    assert "🔑" not in score(REPORT, "--nohash", "-q")[1]


def test_verbose_shows_every_pair(score: Callable[..., Shown]) -> None:
    out = score(REPORT, "-v")[1]
    table = [line.split() for line in out.splitlines()]
    dan = ["2", "dan.Ablation_Dan_11_0", "mitigation.MitigationBypass", "42/127"]
    assert any(row[:4] == dan for row in table)
    assert "left out: goodside.WhoIsRiley+goodside.RileyIsnt: no output was" in out


@pytest.mark.parametrize("form", ["html", "markdown", "junit", "sarif"])
def test_a_form_for_one_report_refuses_several(
    score: Callable[..., Shown], tmp_path: Path, form: str
) -> None:
    code, out, err = score(f"--{form}", tmp_path / "out", REPORT, OLDER)
    assert (code, out) == (2, "")
    assert err == (
        f"garak-tbsa: --{form} shows one report, and several were given;"
        " give one, or -j for all of them\n"
    )


def test_attempts_are_read_unless_nobody_sees_the_range(
    score: Callable[..., Shown], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-q and --no-interval take the digest alone; --sure judges by the attempts."""
    asked: list[object] = []
    reader = "garak_tbsa.statistics.repeat.outcomes_of_report"
    real = outcomes_of_report

    def noted(report: Report) -> Outcomes | Unavailable:
        asked.append(report.source)
        return real(report)

    monkeypatch.setattr(reader, noted)
    report = write_alike(tmp_path)
    score("-q", report)
    score("--no-interval", "-j", tmp_path / "out.json", report)
    score("-q", "--no-interval", "--fail-under", 1, report)
    score(report, REPORT)
    assert not asked
    for options in ((), ("-q", "-j", tmp_path / "out.json"), ("--sure", 0.5)):
        gate = ("--fail-under", 1) if "--sure" in options else ()
        score(*options, *gate, report)
    score("-q", "--no-interval", "--fail-under", 1, "--sure", 0.5, report)
    assert asked == [report] * 4


def test_a_report_from_standard_input_is_known_by_counts_alone(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    given = Path(write_alike(tmp_path)).read_bytes()
    out = " ".join(score("-v", "-", stdin=given).out.split())
    assert (
        "from pass counts alone (standard input can be read only once): how alike"
        " outputs of one prompt are is not known, and the range allows for it;" in out
    )


def test_the_installed_calibration_by_its_path_is_the_installed_one(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    """Identified by content: a copy of the file is the same calibration."""
    output, copy = tmp_path / "o.json", tmp_path / "copy.json"
    path = Path(installed_calibration().source)
    copy.write_bytes(path.read_bytes())
    checksums = []
    for choice in ("installed", path, copy):
        score("-q", "-j", output, "--calibration", choice, REPORT)
        checksums.append(written(output)["checksum"])
    assert checksums == [checksums[0]] * 3
    copy.write_bytes(path.read_bytes() + b" ")
    score("-q", "-j", output, "--calibration", copy, REPORT)
    assert written(output)["checksum"] != checksums[0]


def test_a_probe_with_another_name_today_counts_and_it_is_said(
    score: Callable[..., Shown],
) -> None:
    code, out, _ = score(FOLDER / "garak-0.11.0.report.jsonl")
    assert code == 0
    assert "11 pairs counted, " in out
    assert "tiers found by the newer names of these probes:" in out
    assert "xss.MarkdownImageExfil is web_injection" in " ".join(out.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be opened (No such file or directory); write "),
        ("nonsense", "is not JSON; write "),
        ('{"a.A": 5}', "a.A: expected a tier of 1, 2, 3 or 9, found 5; write "),
    ],
)
def test_a_wrong_file_of_tiers_is_told(
    score: Callable[..., Shown], tmp_path: Path, content: str | None, message: str
) -> None:
    path = tmp_path / "tiers.json"
    if content is not None:
        path.write_text(content)
    code, out, err = score("--tiers", path, REPORT)
    assert (code, out) == (1, "")
    assert err.startswith(f"garak-tbsa: {path}: {message}")
    assert err.count("\n") == 1


def test_quiet_says_on_stderr_why_a_gate_failed(score: Callable[..., Shown]) -> None:
    code, out, err = score("-q", "--fail-under", "4.2", REPORT)
    assert (code, len(out.splitlines())) == (3, 3)
    assert err == (
        f"garak-tbsa: {REPORT}: gate failed: fail-under:"
        " expected TBSA of at least 4.2; found TBSA 4.1\n"
    )
    assert score("-q", "--fail-under", "4.1", REPORT)[2] == ""


def test_several_reports_are_shown_and_one_that_is_none_hides_no_other(
    score: Callable[..., Shown], tmp_path: Path
) -> None:
    output = tmp_path / "out.json"
    verbose = ("-v", "--explain-checksum", "-j", output)
    code, out, err = score("missing", REPORT, OLDER, *verbose)
    assert code == 1
    assert out.count("📜 Report file: ") == out.count("covers:") == 2
    assert err.startswith("garak-tbsa: missing: cannot be opened")
    assert [entry["infile"] for entry in written(output)["unreadable"]] == ["missing"]
    assert len(written(output)["reports"]) == 2


def test_partial_reports_are_marked(score: Callable[..., Shown]) -> None:
    assert "⚠️ Partial: no completion row: the scan was interrupted" in score(CUT)[1]
    assert "⚠️ line 61 is cut off and was left out" in score(CUT)[1]
    out = score(CUT, REPORT)[1]
    assert "4.2*" in out
    assert "* partial: the scan was interrupted" in out


def test_several_reports_are_judged_each_by_name(score: Callable[..., Shown]) -> None:
    code, out, _ = score(REPORT, CUT, "--fail-under", "4.2")
    judged = out[out.index("📜") :].splitlines()
    assert code == 3
    assert [line.split(":")[0] for line in judged] == [
        f"📜 {REPORT}",
        "❌ gate failed",
        f"📜 {CUT}",
        "✔️ gate passed",
    ]
    code, out, err = score("-q", REPORT, CUT, "--fail-under", "4.2")
    assert "gate failed" not in out
    assert "gate passed" not in out
    assert err == (
        f"garak-tbsa: {REPORT}: gate failed: fail-under:"
        " expected TBSA of at least 4.2; found TBSA 4.1\n"
    )


def test_strict_names_every_report_that_falls_short(
    score: Callable[..., Shown],
) -> None:
    code, out, err = score("--strict", "--fail-under", "1", REPORT, CUT)
    assert (code, out.count("gate passed")) == (1, 2)
    assert [line.split(": --strict")[0] for line in err.splitlines()] == [
        f"garak-tbsa: {REPORT}",
        f"garak-tbsa: {CUT}",
    ]


ROWS = report_rows(FACTS)


def broken(path: tuple[str, ...], value: object) -> bytes:
    """A report whose digest has one wrong value."""
    digest = digest_row(FACTS)
    inner: Any = digest
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return to_bytes([*ROWS[:-1], digest])


PAIR = ("eval", "probe", "probe.P00", "detector.D")
SET_UP = {"entry_type": "start_run setup"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x00\x01binary\n\x00", "line 1: expected a JSON object, found no JSON"),
        (b"[" * 100_000, "line 1: expected a JSON object, found no JSON (nested too"),
        (
            to_bytes([SET_UP]) + b"\n" + b'{"a":' * 100_000 + b"\n{}",
            "line 2: expected a JSON object, found no JSON (nested too deeply); give a",
        ),
        (
            broken((*PAIR, "absolute_score"), float("nan")),
            "absolute_score: expected a number from 0 to 1, found nan; the report is",
        ),
        (broken(("meta",), 3), "digest.meta: expected an object, found 3"),
        (broken(PAIR, 0), "probe.P00.detector.D: expected an object, found 0"),
        (broken((*PAIR, "passed"), 11), "passed: expected at most the 10 outputs"),
        (
            broken((*PAIR, "absolute_defcon"), 7),
            "absolute_defcon: expected a DEFCON grade from 1 to 5, found 7",
        ),
        (
            to_bytes([*ROWS[:-1], b"x".decode(), SET_UP]),
            "line 8: row: expected an object, found 'x'; the report is damaged",
        ),
        (
            to_bytes([attempt_row(FACTS[0])]),
            "has neither a digest nor eval rows nor a scan's setup; give a garak",
        ),
        (
            to_bytes([SET_UP]),
            "so there is no TBSA; it has no results of any probe; let a scan finish",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_bad_input_is_one_clear_line_and_exit_code_1(
    score: Callable[..., Shown], tmp_path: Path, content: bytes, message: str
) -> None:
    """File, line number, expected, what to do; exit code 1."""
    path = tmp_path / "bad.report.jsonl"
    path.write_bytes(content)
    code, out, err = score(path)
    assert (code, out) == (1, "")
    assert err.startswith(f"garak-tbsa: {path}")
    assert message in err
    assert err.count("\n") == 1
    assert "defect" not in err


def test_a_score_needs_numpy_alone(tmp_path: Path, score: Callable[..., Shown]) -> None:
    """Gates, a baseline and the files too, on a machine without garak."""
    path = os.pathsep.join([str(numpy_alone(tmp_path)), str(FOLDER.parents[1])])

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
    quiet = alone("score", "-q", REPORT, "--baseline", REPORT)
    assert (quiet.returncode, quiet.stdout) == (0, score("-q", REPORT)[1])
    for command in (("explain", REPORT), ("compare", REPORT, REPORT)):
        ended = alone(*command)
        assert (ended.returncode, ended.stderr) == (0, "")
    for form in ("--html", "--markdown"):
        ended = alone("score", REPORT, form, tmp_path / "filled")
        assert ended.returncode == 1
        assert ended.stderr.startswith("garak-tbsa: this needs jinja2, and ")


PEAK = """
import sys
from garak_tbsa.cli.main import main
code = main(["score", *sys.argv[1:]])
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM"))
print(code, int(peak.split()[1]) // 1024)
"""
LONG = 200 << 20


def long_line(path: Path, *after: bytes) -> str:
    """A report with one attempt of 200 MB, mostly a hole in the file."""
    with path.open("wb") as file:
        file.write(b'{"entry_type": "attempt", "outputs": ["')
        file.seek(LONG)
        file.write(b'"]}')
        file.writelines(b"\n" + line for line in after)
    return str(path)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize(
    ("after", "code", "most"),
    [
        # the end is read alone
        (to_bytes(ROWS).split(b"\n"), 0, 60),
        # one line at a time: put together once from its pieces
        (to_bytes(ROWS[:-1]).split(b"\n"), 0, 2 * 200 + 60),
        ([], 1, 2 * 200 + 60),
        ([b'{"entry_type": "eval", "pro'], 1, 2 * 200 + 60),
    ],
)
def test_a_line_of_200_mb_costs_no_more_than_itself(
    tmp_path: Path, after: list[bytes], code: int, most: int
) -> None:
    """Peak memory; the digest alone is read where nobody asks for a range."""
    path = long_line(tmp_path / "long.report.jsonl", *after)
    ended = subprocess.run(
        [sys.executable, "-c", PEAK, path, "--no-interval"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=True,
    )
    ended_with, peak = ended.stdout.decode().split()[-2:]
    assert int(ended_with) == code
    assert int(peak) < most
