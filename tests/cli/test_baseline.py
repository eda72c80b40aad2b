# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa baseline``: what is kept is enough to hold scans against."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli import baseline
from garak_tbsa.cli.main import main
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.kept import kept_bytes, read_kept
from tests.factories import attempt_row, pairs_named, report_rows, to_bytes
from tests.gold import FOLDER
from tests.tbsa.outputs.samples import uncounted

REPORT = str(FOLDER / "garak-0.17.1.report.jsonl")
OLDER = str(FOLDER / "garak-0.16.0.report.jsonl")
CUT = str(FOLDER / "cut-short.report.jsonl")

Shown = tuple[int, str, str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, on a known day."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return tmp_path


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """Run a command; return exit code, stdout and stderr."""

    def run(*arguments: object) -> Shown:
        code = main(list(map(str, arguments)))
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_a_report_is_kept_with_date_target_score_and_checksum(
    ran: Callable[..., Shown], here: Path
) -> None:
    code, out, err = ran("baseline", "save", REPORT)
    size = (here / baseline.DEFAULT).stat().st_size
    facts = (
        "   TBSA 4.1, checksum 5c89-5651\n"
        "   target function.Single tests.gold.target#answers_or_none, garak 0.17.1\n"
        "   scan of 2026-11-21T02:59:12.986497, kept 2023-11-14T22:13:20+00:00\n"
        f"   made from {REPORT}\n"
    )
    assert (code, err) == (0, "")
    assert out == (
        f"📜 Baseline kept: tbsa-baseline.jsonl.gz ({size:,} bytes)\n{facts}"
        "   garak-tbsa score REPORT --baseline tbsa-baseline.jsonl.gz\n"
    )
    assert size < Path(REPORT).stat().st_size / 5
    code, out, err = ran("baseline", "show", "-j", "b.json")
    assert (code, err) == (0, "")
    assert out == f"📜 Baseline tbsa-baseline.jsonl.gz\n{facts}"
    document = json.loads(Path("b.json").read_text(encoding="utf-8"))
    assert document["kept"]["tbsa"] == document["here"]["tbsa"] == 4.1
    assert document["problems"] == []


def test_what_is_kept_is_the_report(ran: Callable[..., Shown], here: Path) -> None:
    assert ran("baseline", "save", REPORT, "--to", "a/b.gz")[0] == 0
    unpacked = gzip.decompress((here / "a" / "b.gz").read_bytes())
    _, _, rest = unpacked.partition(b"\n")
    assert rest == Path(REPORT).read_bytes() + b"\n"
    # a baseline is a report like any other, and can be kept again
    assert ran("baseline", "save", "a/b.gz")[0] == 0
    again = gzip.decompress((here / baseline.DEFAULT).read_bytes())
    assert again.partition(b"\n")[2] == rest
    assert again.count(b"garak-tbsa baseline") == 1


def scan(folder: Path, name: str, hits: int) -> str:
    """A scan whose attempts are there, with so many hits among 60 outputs."""
    (pair,) = pairs = pairs_named((1, 60 - hits, 60))
    rows = report_rows(pairs)
    attempts = [
        attempt_row(pair, prompt=f"prompt {number}", scores=[float(number < hits)])
        for number in range(60)
    ]
    path = folder / f"{name}.report.jsonl"
    path.write_bytes(to_bytes([*rows[:2], *attempts, *rows[2:]]))
    return str(path)


@pytest.mark.parametrize("hits", [2, 30])
def test_it_compares_as_the_report_itself_does(
    ran: Callable[..., Shown], here: Path, hits: int
) -> None:
    before, after = scan(here, "before", 2), scan(here, "after", hits)
    assert ran("baseline", "save", before)[0] == 0
    kept = ran("score", after, "--baseline", baseline.DEFAULT)
    assert kept == ran("score", after, "--baseline", before)
    assert kept[0] == (3 if hits == 30 else 0)
    assert "by their counts alone" not in kept[1], "the attempts are there"


def test_it_says_what_it_replaces(ran: Callable[..., Shown], here: Path) -> None:
    assert ran("baseline", "save", OLDER)[0] == 0
    old = read_kept(baseline.DEFAULT)
    assert old is not None
    code, out, _ = ran("baseline", "save", REPORT)
    assert code == 0
    _, _, said = out.partition("   It replaces:\n")
    assert said.startswith(f"   TBSA {old.tbsa}, checksum {old.checksum}\n")
    assert f"   made from {OLDER}\n" in said
    assert "⚠️ the checksum differs: " in said
    # a plain report under that name was not kept by us
    Path("plain.gz").write_bytes(gzip.compress(Path(REPORT).read_bytes()))
    out = ran("baseline", "save", REPORT, "--to", "plain.gz")[1]
    assert "kept never kept" in out.partition("   It replaces:\n")[2]


PROBLEMS = [
    (
        CUT,
        "cannot serve as a baseline: no completion row: the scan was interrupted"
        " with 12 of 13 probes judged; keep another report, or add --force to keep"
        " this one",
    ),
    ("gone.report.jsonl", "gone.report.jsonl: cannot be opened"),
]


@pytest.mark.parametrize(("report", "problem"), PROBLEMS)
def test_what_no_scan_can_be_held_against_is_not_kept(
    ran: Callable[..., Shown], here: Path, report: str, problem: str
) -> None:
    assert ran("baseline", "save", REPORT)[0] == 0
    before = (here / baseline.DEFAULT).read_bytes()
    code, out, err = ran("baseline", "save", report)
    assert (code, out) == (1, "")
    assert problem in err
    assert (here / baseline.DEFAULT).read_bytes() == before


def test_a_report_without_counts_is_not_kept(
    ran: Callable[..., Shown], here: Path
) -> None:
    (here / "u").mkdir()
    report = uncounted(here / "u").assessment.report.source
    code, _, err = ran("baseline", "save", report)
    assert code == 1
    assert "it has no counts of passed outputs" in err


def test_a_partial_report_is_kept_where_that_is_forced(
    ran: Callable[..., Shown],
) -> None:
    code, out, err = ran("baseline", "save", CUT, "--force")
    assert (code, err) == (0, "")
    assert "⚠️ no completion row: the scan was interrupted" in out
    assert "⚠️ no completion row" in ran("baseline", "show")[1]


def test_a_file_that_is_no_baseline_is_not_replaced(
    ran: Callable[..., Shown], here: Path
) -> None:
    notes = here / "notes"
    notes.write_text("mine")
    code, out, err = ran("baseline", "save", REPORT, "--to", notes)
    assert (code, out) == (1, "")
    assert err.startswith(f"garak-tbsa: {notes}: exists and is not a baseline (")
    assert err.endswith("it was not replaced; give another --to, or add --force\n")
    assert notes.read_text() == "mine"
    assert ran("baseline", "save", REPORT, "--to", notes, "--force")[0] == 0
    assert read_kept(str(notes)) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("save", "-"),
            "-: standard input can be read only once, and a baseline is"
            " read several times; give a file",
        ),
        (("save", REPORT, "--to", "-"), "--to -: expected the path of a file"),
        (("save", REPORT, "--to", "."), "--to .: expected the path of a file"),
        (("save", REPORT, "--to", "s3://a/b"), "--to s3://a/b: expected the path of"),
        (("save", REPORT, "--to", REPORT), "would overwrite the input"),
        (
            ("show", "-"),
            "-: standard input can be read only once, and a baseline is"
            " read several times; give a file",
        ),
    ],
)
def test_a_wrong_command_line_exits_2(
    ran: Callable[..., Shown], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = ran("baseline", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_a_report_that_changes_meanwhile_is_not_kept(
    ran: Callable[..., Shown], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is copied after it was scored."""

    def of_another(name: str, *more: Any) -> Iterator[bytes]:
        return kept_bytes(OLDER, *more)

    monkeypatch.setattr(baseline, "kept_bytes", of_another)
    code, out, err = ran("baseline", "save", REPORT)
    assert (code, out) == (1, "")
    assert err == (
        f"garak-tbsa: {REPORT}: it changed while it was copied; nothing was kept;"
        f" give a whole .report.jsonl whose scan has ended\n"
    )
    assert list(here.iterdir()) == []


def test_nothing_is_torn_where_reading_fails_half_way(
    ran: Callable[..., Shown], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ran("baseline", "save", REPORT)[0] == 0
    before = (here / baseline.DEFAULT).read_bytes()

    def ends_early(*_: object) -> Iterator[bytes]:
        yield b"half"
        raise ReportError("x", "cannot be read further", "copy it again")

    monkeypatch.setattr(baseline, "kept_bytes", ends_early)
    assert ran("baseline", "save", REPORT)[0] == 1
    assert (here / baseline.DEFAULT).read_bytes() == before
    assert [path.name for path in here.iterdir()] == [baseline.DEFAULT]


def test_show_says_what_is_wrong(ran: Callable[..., Shown], here: Path) -> None:
    code, out, err = ran("baseline", "show")
    assert (code, out) == (1, "")
    assert "tbsa-baseline.jsonl.gz: cannot be opened" in err
    out = ran("baseline", "show", REPORT)[1]
    assert out.startswith(
        f"📜 {REPORT}: a report as garak wrote it, usable as baseline"
    )
    assert ran("baseline", "save", REPORT)[0] == 0
    out = ran("baseline", "show", "--formula", "garak")[1]
    assert "⚠️ scored here its checksum is " in out
    kept = read_kept(baseline.DEFAULT)
    assert kept is not None
    other = b"".join(kept_bytes(REPORT, replace(kept, tbsa=2.0)))
    (here / "other.gz").write_bytes(other)
    out = ran("baseline", "show", "other.gz")[1]
    assert (
        "⚠️ scored here it is TBSA 4.1: another garak, calibration or formula\n" in out
    )


def test_a_row_that_is_not_ours_is_read_with_care(here: Path) -> None:
    kept = read_kept(REPORT)
    assert kept is None
    start = '{"entry_type": "garak-tbsa baseline"'
    Path("torn").write_text(f"{start}\n")
    with pytest.raises(ReportError, match="torn, line 1: its first row is no JSON"):
        read_kept("torn")
    odd = {"tbsa": "high", "checksum": 7, "target": ["x"], "kept": "\x1b[2J" * 500}
    Path("odd").write_text(f"{start}, {json.dumps(odd)[1:]}\n")
    found = read_kept("odd")
    assert found is not None
    assert (found.tbsa, found.checksum, found.target) == (None, None, None)
    assert found.kept is not None
    assert len(found.kept) < 600


def test_equal_contents_are_equal_files(here: Path) -> None:
    assert main(["baseline", "save", REPORT]) == 0
    kept = read_kept(baseline.DEFAULT)
    assert kept is not None
    one, two = (b"".join(kept_bytes(REPORT, kept)) for _ in range(2))
    assert one == two == (here / baseline.DEFAULT).read_bytes()
    assert b"".join(kept_bytes(REPORT, replace(kept, tbsa=None))) != one
