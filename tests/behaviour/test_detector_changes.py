# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors diff`` and ``detectors explain``: what changed, and why it is so."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.behaviour.labelled import (
    ECHO,
    Counts,
    echo_row,
    echo_rows,
    posterior,
    summary_of,
    write_lines,
    write_summary,
)
from tests.behaviour.product import Shown, tbsa

Summary = dict[str, Any]

OLD: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (20, 10, 10, 20),
    "c.Noise": (20, 10, 10, 20),
    "d.Better": (3, 10, 27, 20),
    "e.Lost": (20, 10, 10, 20),
}
NEW: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (3, 10, 27, 20),
    "c.Noise": (19, 10, 11, 20),
    "d.Better": (20, 10, 10, 20),
    "f.Added": (20, 10, 10, 20),
}


def write_both(folder: Path, old: Summary, new: Summary) -> list[Path]:
    named = {"old.json": old, "new.json": new}
    return [write_summary(folder / name, each) for name, each in named.items()]


def changes(shown: Shown, names: Collection[str] = (*OLD, *NEW)) -> dict[str, str]:
    """Each changed detector's cells."""
    rows = [line.split() for line in shown.lines if line.split()[0] in names]
    return {name: " ".join(cells) for name, *cells in rows}


def test_changes_beyond_noise_are_told_from_noise(tmp_path: Path) -> None:
    errors = [{"detector": "e.Lost", "reason": "no key"}]
    newer = summary_of(NEW, errors=errors, eval_threshold=0.4)
    for name in ("b.Worse", "d.Better"):
        newer["results"][name]["data"][0]["sha256"] = "1" * 64
    old, new = write_both(tmp_path, summary_of(OLD), newer)
    shown = tbsa("detectors", "diff", old, new)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[:3] == [
        f"{old}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        f"{new}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        "eval_threshold: 0.5 -> 0.4",
    ]
    found = changes(shown)
    noise = found.pop("c.Noise")
    likely_worse = float(noise.removesuffix(" within noise").rpartition(" ")[2])
    assert 0.5 < likely_worse < 0.7
    before, after = "F1 0.667 (20 10 10 20)", "F1 0.140 (3 10 27 20)"
    assert found == {
        "b.Worse": f"typical {before} {after} 1.000 worse",
        "d.Better": f"typical {after} {before} 0.000 better",
        "e.Lost": f"typical {before} - - no longer evaluated",
        "f.Added": f"typical - {before} - newly evaluated",
    }
    assert shown.lines[-5:] == [
        "  e.Lost: no key",
        "typical: 1 worse, 1 better, 1 within noise, 1 unchanged, 1 no longer"
        " evaluated, 1 newly evaluated",
        "stress: no rows that both summaries state",
        "2 of the changed detectors were measured on other rows: b.Worse, d.Better",
        "On the same rows every changed count is a change of the detector; P(worse)"
        " tells whether it would show on other rows",
    ]


def test_metrics_of_the_first_version_are_of_other_rows(tmp_path: Path) -> None:
    """68 of 71 detectors were called better, where only the rows had changed."""
    first = summary_of(NEW, format_version=1)
    del first["metadata"]["metrics_rows"]
    paths = write_both(tmp_path, first, summary_of(NEW))
    gate = ("detectors", "diff", *paths, "--fail-on-regression")
    shown = tbsa(*gate)
    assert (shown.code, shown.lines[2]) == (
        3,
        "metrics_rows: typical and stress -> typical",
    )
    assert "a.Same (typical not comparable), " in shown.err
    assert "typical: 5 not comparable" in shown.lines
    assert (
        "Not comparable: one summary made its metrics from typical rows, the other"
        " from stress rows too; make the older one again"
    ) in shown.lines
    write_both(tmp_path, first, first)
    shown = tbsa(*gate)
    assert (shown.code, shown.lines[2:]) == (
        0,
        ["typical: 5 unchanged", "stress: no rows that both summaries state"],
    )


@pytest.mark.parametrize(
    ("new", "code", "named"),
    [
        (OLD, 0, ""),
        (OLD | {"d.Better": (20, 10, 10, 20)}, 0, ""),
        (OLD | {"c.Noise": (19, 10, 11, 20)}, 0, ""),
        (OLD | {"b.Worse": (3, 10, 27, 20)}, 3, "b.Worse (typical worse)"),
        (
            {name: OLD[name] for name in OLD if name != "e.Lost"},
            3,
            "e.Lost (typical no longer evaluated)",
        ),
    ],
    ids=["same", "better", "noise", "worse", "lost"],
)
def test_a_regression_fails_where_that_was_asked_for(
    tmp_path: Path, new: dict[str, Counts], code: int, named: str
) -> None:
    old, other = write_both(tmp_path, summary_of(OLD), summary_of(new))
    shown = tbsa("detectors", "diff", old, other, "--fail-on-regression")
    expected = (
        f"garak-tbsa: {other}: {named}; `garak-tbsa detectors explain DETECTOR` shows"
        " the rows\n"
    )
    assert (shown.code, shown.err) == (code, expected if code else "")
    if named.startswith("b.Worse"):
        assert tbsa("detectors", "diff", old, other).code == 0


def test_of_many_regressions_the_first_are_named_and_all_counted(
    tmp_path: Path,
) -> None:
    for count, more in ((5, ""), (7, " and 2 more")):
        names = [f"a.A{number}" for number in range(count)]
        old, new = (
            summary_of(dict.fromkeys(names, cells))
            for cells in ((20, 10, 10, 20), (3, 10, 27, 20))
        )
        paths = write_both(tmp_path, old, new)
        shown = tbsa("detectors", "diff", *paths, "--fail-on-regression")
        named = ", ".join(f"{name} (typical worse)" for name in names[:5])
        assert shown.err.partition(";")[0] == f"garak-tbsa: {paths[1]}: {named}{more}"


def test_confidence_moves_the_edge_and_stress_rows_count(tmp_path: Path) -> None:
    old = summary_of({"a.A": (18, 10, 12, 20)})
    new = summary_of({"a.A": (14, 10, 16, 20)})
    paths = write_both(tmp_path, old, new)
    gate = ("detectors", "diff", *paths, "--fail-on-regression")
    assert tbsa(*gate).code == 0
    assert tbsa(*gate, "--confidence", "0.5").code == 3
    stress = {"hits_found": 2, "hits": 17, "passes_left_alone": 10, "passes": 20}
    new["results"]["a.A"] = old["results"]["a.A"] | {"stress": stress}
    old["results"]["a.A"] = new["results"]["a.A"] | {
        "stress": stress | {"hits_found": 15}
    }
    write_both(tmp_path, old, new)
    shown = tbsa(*gate)
    assert changes(shown, {"a.A"}) == {
        "a.A": "stress hits 15 of 17 2 of 17 1.000 worse"
    }
    assert (shown.code, shown.err.partition(";")[0]) == (
        3,
        f"garak-tbsa: {paths[1]}: a.A (stress hits worse)",
    )
    assert shown.lines[-4:-1] == [
        "typical: 1 unchanged",
        "stress hits: 1 worse",
        "stress passes: 1 unchanged",
    ]


# why a detector has the measures it has


def test_mistakes_are_shown_row_by_row(echoes: Path) -> None:
    rows = [
        *echo_rows(2, 0, 0, 2, slice="plain", lang="en"),
        echo_row("0.25", "hit", "missed", slice="odd", lang="de"),
        echo_row("0.75", "pass", "flagged\x1b[31m", slice="odd", lang="de"),
        echo_row("0", "hit", "disguised", why="no marker", lang="en"),
        echo_row("none", "pass", "unscored", lang="en"),
    ]
    rows[-2]["output"] += f" {'word ' * 50}"
    path = write_lines(echoes / "rows.jsonl", rows)
    shown = tbsa("detectors", "explain", ECHO, "--data", path)
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    interval = re.fullmatch(
        rf"{ECHO}: typical F1 0.67 \[0\.(\d\d), 0\.(\d\d)\], stress: catches 0 of 1"
        " disguised hits",
        shown.lines[0],
    )
    ends = numpy.quantile(posterior((2, 1, 1, 2)), (0.025, 0.975)) * 100
    assert interval is not None
    assert [int(end) for end in interval.groups()] == pytest.approx(ends, abs=1.5)
    assert shown.lines[1:4] == [
        "typical rows: 6 scored, 3 hits and 3 passes; stress rows: 1 scored, 1 hits and"
        " 0 passes",
        "on typical rows: hit F1 0.667, precision 0.667, recall 0.667; pass F1 0.667;"
        " accuracy 0.667",
        "typical rows are 3 hits (3 of unknown origin) and 4 passes (4 of unknown"
        " origin); 7 distinct responses to 1 prompt; sensitivity is on hits of unknown"
        " origin",
    ]
    # by falling score: 2 of 2 hits, 2 of 3, 3 of 4; one third of the hits each
    (line,) = (line for line in shown.lines if line.startswith("average precision"))
    assert line.startswith("average precision 0.917; highest hit F1 0.857 at 0.25")
    table = {line.split()[0]: line.split()[1:] for line in shown.lines if line}
    # TP, FP, FN, TN, sensitivity, specificity, hit F1
    assert {
        name: table[name]
        for name in ("typical", "stress", "plain", "odd", "de", "(none)")
    } == {
        "typical": ["2", "1", "1", "2", "0.667", "0.667", "0.667"],
        "stress": ["0", "0", "1", "0", "0.000", "-", "0.000"],
        "plain": ["2", "0", "0", "2", "1.000", "1.000", "1.000"],
        "odd": ["0", "1", "1", "0", "0.000", "0.000", "0.000"],
        "de": ["0", "1", "1", "0", "0.000", "0.000", "0.000"],
        "(none)": ["0", "0", "1", "0", "0.000", "-", "0.000"],
    }
    # threshold: TP, FP, FN, TN, precision, recall, hit F1
    assert {name: table[name] for name in ("0.25", "0.75", "1")} == {
        "0.25": ["3", "1", "0", "2", "0.750", "1.000", "0.857"],
        "0.75": ["2", "1", "1", "2", "0.667", "0.667", "0.667"],
        "1": ["2", "0", "1", "3", "1.000", "0.667", "0.800"],
    }
    text = f"0 disguised {'word ' * 50}"[:100]
    for title, said in (
        (
            "False negatives: hits that it missed, typical rows (1)",
            "  missed [odd, de]",
        ),
        (
            "False negatives: hits that it missed, stress rows (1)",
            f"  disguised [en] score 0\n    why: no marker\n    {text}…\n",
        ),
        ("False positives: passes that it flagged, typical rows (1)", "  flagged"),
        ("False positives: passes that it flagged, stress rows (0)", ""),
        ("Rows without a score (1)", "  unscored: none\n"),
    ):
        assert f"\n{title}\n{said}" in shown.out
    assert shown.lines[-1] == "Agreement: no row was labelled by two people"
    assert "\n  and " not in shown.out
    few = tbsa("detectors", "explain", ECHO, "--data", path, "--limit", 0)
    assert "missed, stress rows (1)\n  and 1 more\n" in few.out
    more = [echo_row(0, "hit", f"missed {n}") for n in range(3)]
    path = write_lines(echoes / "more.jsonl", more)
    few = tbsa("detectors", "explain", ECHO, "--data", path, "--limit", 1)
    assert few.out.count("\n  and 2 more\n") == 1


def test_the_whole_text_is_shown_on_request(echoes: Path) -> None:
    """And a detector with two scores, or with stress rows alone, is explained too."""
    text = "0 \x1b[31m::error::" + "word " * 50 + "\n\n::warning::end\r"
    row = {"id": "e", "output": text, "label": "hit", "lang": "en", "why": "so"}
    alike = echo_row("1", "pass", "alike", why="looks alike")
    path = write_lines(echoes / "rows.jsonl", [row, alike])
    shown = tbsa("detectors", "explain", ECHO, "--data", path, "--whole")
    assert shown.lines[0] == (
        f"{ECHO}: typical F1 undefined, stress: catches 0 of 1 disguised hits, wrongly"
        " flags 1 of 1 look-alikes"
    )
    place = shown.lines.index("  e [en] score 0")
    assert shown.lines[place + 1 : place + 5] == [
        "    why: so",
        "    | 0 \\x1b[31m::error::" + "word " * 50,
        "    |",
        "    | ::warning::end\\r",
    ]
    assert (
        "There is no threshold to choose: the scores have at most two values"
    ) in shown.lines
    write_lines(path, [echo_row("none", "pass", "n")])
    for name, why in (
        ("NoKey", "RuntimeError: put a key into ECHO_KEY"),
        ("Louder", "none of 1 rows got a score (the detector returned None)"),
    ):
        shown = tbsa("detectors", "explain", f"echoes:{name}", "--data", path)
        assert (shown.code, shown.error) == (
            1,
            f"garak-tbsa: echoes:{name}: cannot be explained, because it gave no score"
            f" ({why})",
        )


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ("dan", 2, "'dan' names 7 detectors; name one, e.g. dan.DAN"),
        ("dan.STAN", 1, "dan.STAN: no labelled rows of it; give some with --data"),
        ("dan.DAM", 2, "--detectors: garak has no 'dan.DAM'; did you mean 'dan.DAN'?"),
    ],
)
def test_one_detector_with_rows_is_explained(
    tmp_path: Path, spec: str, code: int, said: str
) -> None:
    path = write_lines(tmp_path / "dan.DAN.jsonl", [{"output": "", "label": "pass"}])
    shown = tbsa("detectors", "explain", spec, "--data", path.parent)
    assert (shown.code, shown.error) == (code, f"garak-tbsa: {said}")
