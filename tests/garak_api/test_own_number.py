# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's own number, or why there is none; ``whole_outputs.txt`` shows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.behaviour.product import GOLD, document, tbsa
from tests.report_rows import PairFacts, digest_row, write_report

REPORT = str(GOLD / "garak-0.17.1.report.jsonl")
CALIBRATED = digest_row([PairFacts(mu=0.5)])


def why_none(folder: Path, report: str | Path) -> str:
    """Why garak's module gives a report no number."""
    found = document(folder, "explain", report)["explanation"]
    assert found["garak_tbsa"] is None
    reason: str = found["garak_missing_because"]
    return reason.removeprefix("garak's own module gives no number for this report ")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"eval": digest_row([PairFacts()])["eval"]},
            "(ValueError: digest didn't contain sufficient calibrated probe:detector"
            " results in expected locations)",
        ),
        ({"meta": {}}, "(KeyError: 'garak_version')"),
        (
            {"meta": {"garak_version": "0.x.1"}},
            "(ValueError: invalid literal for int() with base 10: 'x')",
        ),
    ],
)
def test_whatever_garaks_module_raises_is_told(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = write_report(tmp_path / "r.report.jsonl", [CALIBRATED | change])
    assert why_none(tmp_path, path) == reason
    assert f"{reason}." in " ".join(tbsa("explain", path).out.split())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("garak-0.12.0", "(KeyError: 'relative_score')"),
        ("garak-0.11.0", "(it holds no digest with results)"),
        ("no-digest", "(it holds no digest with results)"),
    ],
)
def test_why_an_old_report_has_none(name: str, reason: str, tmp_path: Path) -> None:
    assert why_none(tmp_path, GOLD / f"{name}.report.jsonl") == reason


def test_a_report_that_can_be_read_once_has_none() -> None:
    content = Path(REPORT).read_bytes()
    shown = tbsa("explain", "-", stdin=content)
    assert shown.code == 0
    assert "report (standard input can be read only once)." in shown.out
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(content[-60_000:].partition(b"\n")[2])
    shown = tbsa("explain", f"/dev/fd/{reading}")
    os.close(reading)
    assert shown.code == 0
    assert "report (a pipe can be read only once)." in shown.out


@pytest.fixture
def other_garak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the module in a garak that has nothing else."""
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "garak" / "analyze" / "tbsa.py"
    module.parent.mkdir(parents=True)
    (tmp_path / "garak" / "__init__.py").touch()
    return module


def test_what_garaks_module_prints_is_not_ours(other_garak: Path) -> None:
    other_garak.write_text(
        "import sys\n"
        "print('out')\n"
        "def digest_to_tbsa(digest, verbose=False, quiet=False):\n"
        "    print('err', file=sys.stderr)\n"
        "    return (2.5 if quiet else 1.0), 'hash', 3\n"
    )
    shown = tbsa("explain", REPORT)
    assert (shown.code, shown.err) == (0, "")
    assert "garak's own module prints 2.5 for this report." in shown.lines
    assert "out" not in shown.lines


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys\nsys.exit(3)\n", "(SystemExit: 3)"),
        ("import no_such_module\n", "(ModuleNotFoundError: No module named"),
        ("def (\n", "(SyntaxError: "),
        ("digest_to_tbsa = None\n", "(TypeError: "),
        ("def digest_to_tbsa(digest, quiet):\n    return None\n", "(TypeError: "),
    ],
)
def test_a_module_that_fails_gives_no_number(
    program: str, reason: str, other_garak: Path, tmp_path: Path
) -> None:
    other_garak.write_text(program)
    assert why_none(tmp_path, REPORT).startswith(reason)


def test_a_garak_without_the_module_has_none(other_garak: Path, tmp_path: Path) -> None:
    assert why_none(tmp_path, REPORT) == f"(there is no {other_garak})"
