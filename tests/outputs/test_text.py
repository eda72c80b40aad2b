# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text of several reports, of lucky scans and of comparisons.

``whole/`` has the text of each kind of score and of comparison.
"""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.product import GOLD, tbsa
from tests.factories import permutations
from tests.outputs.samples import write
from tests.outputs.written import AFTER, BEFORE, Written, written
from tests.report_rows import pairs_named, report_rows


def test_several_reports_are_grouped_by_checksum() -> None:
    """Only these can be compared; a scan that was interrupted is marked."""
    names = ("garak-0.17.1", "cut-short", "no-digest")
    shown = tbsa("score", *(GOLD / f"{name}.report.jsonl" for name in names))
    assert shown.code == 0
    lines = [line.split() for line in shown.lines]
    header = ["TBSA", "target", "pairs", "left", "out", "start", "report"]
    assert lines[0] == ["🔑", "Checksum:", "5c89-5651"]
    assert lines[1] == lines[6] == header
    assert [row[0] for row in lines[2:4]] == ["4.1", "4.1"]
    assert lines[5] == ["🔑", "Checksum:", "8953-351c"]
    assert lines[7][0] == "4.2*"
    assert shown.lines[-4:] == [
        "2 checksums: only scores with the same checksum can be compared",
        "(--explain-checksum shows the parts)",
        "* partial: the scan was interrupted",
        "TBSA sums a scan up; it does not replace reading the report.",
    ]


def lucky(folder: Path, passed: int, pairs: int = 8) -> Written:
    """A scan of pairs that pass as often."""
    rows = report_rows(pairs_named(*[(1, passed, 100)] * pairs))
    return written(folder, "score", write(folder, "lucky", rows))


def test_that_a_scan_was_lucky_is_one_sentence_in_every_form(tmp_path: Path) -> None:
    """All pairs are just at a grade's bound, or just below it."""
    found = lucky(tmp_path, 80)
    luck = found.document["repeat_interval"]["luck"]
    sentence = luck["text"]
    assert sentence.startswith("this scan was lucky: by the model, ")
    assert sentence.endswith(
        " of repeats would score lower than 4.0, and 4.0 is outside that range"
    )
    assert (luck["kind"], luck["outside"]) == ("lucky", True)
    assert luck["share"] > 0.9
    assert sentence in found.text
    assert "few pairs" not in found.text, "eight are enough"
    assert f"<p>T{sentence[1:]}.</p>" in found.forms["--html"]
    in_markdown = sentence[1:].replace(":", "&#58;")
    assert f"- T{in_markdown}\n" in found.forms["--markdown"]
    found = lucky(tmp_path, 79, 7)
    assert "the range rests on few pairs (7)" in found.forms["--markdown"]
    luck = lucky(tmp_path, 79, 5).document["repeat_interval"]["luck"]
    assert (luck["kind"], luck["outside"]) == ("unlucky", False)
    assert luck["text"].startswith("this scan was unlucky: by the model, ")
    assert luck["text"].endswith(" of repeats would score higher than 3.0")
    found = lucky(tmp_path, 60)
    assert found.document["repeat_interval"]["luck"] is None
    assert "lucky: " not in found.text + found.forms["--html"]


def test_of_many_warnings_three_are_shown(tmp_path: Path) -> None:
    """And the others with -v."""
    rows = report_rows(pairs_named(*[(1, 9, 10)] * 5))
    pairs = rows[-1]["eval"]["probe"]
    for place in range(4):
        pairs[f"probe.P{place:02d}"]["detector.D"]["passed"] = 8
        if place == 1:
            # two pairs, and that one tier has none
            three = tbsa("score", write(tmp_path, "odd", rows)).out
            assert (three.count("⚠️"), "more warnings" in three) == (3, False)
    path = write(tmp_path, "odd", rows)
    short, long = (tbsa("score", *more, path).out for more in ((), ("-v",)))
    assert short.count("⚠️") == 3
    assert "   … and 2 more warnings (-v)\n" in short
    assert long.count("⚠️") == 5


def test_a_quiet_comparison_is_its_verdict_and_why_it_is_no_match(
    tmp_path: Path, comparisons: dict[str, Written]
) -> None:
    """One line, whole."""
    setup = {"run.generations": 10}
    one = write(tmp_path, "a", report_rows(BEFORE))
    two = write(tmp_path, "b", report_rows(AFTER, setup=setup))
    with permutations(999):
        (line,) = tbsa("compare", "-q", one, two, "--force").lines
    headline = comparisons["forced"].document["verdict"]["text"]
    mark = "forced although the checksums differ: for information only"
    # no garak here has the calibration behind the reports' Z-scores
    said = headline.replace(")", ", the score's move not tested)", 1)
    assert line == f"{said} ({mark})"
