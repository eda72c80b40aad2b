# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history as tables that fit their terminal, JSON Lines and charts."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs import history_page
from garak_tbsa.outputs.history import json_lines, legend, mark, text_lines
from garak_tbsa.outputs.text import below
from garak_tbsa.tbsa.history import NO_COMMON_PAIR, Change
from tests.histories import history as shown
from tests.histories import scan, target_of

WORSE = Change(
    before=2.0,
    after=2.5,
    common_pairs=4,
    differences=('garak_version ("0.16.0" before, "0.17.1" after)',),
    verdict="worse",
    p_worse=0.0031,
    p_better=1.0,
    permutations=5000,
    because="worse (p = 0.003): a + b fell from 84 % to 51 %",
)
SCANS = [
    scan(1, 2.0, checksum="0000-0000", garak_version=None, start_time=None),
    scan(2, 2.5, lower=None, upper=None, partial=True),
    scan(3, 3.0),
    scan(4, 2.8, merged_from=("/runs/4a.report.jsonl", "/runs/4b.report.jsonl")),
]
HISTORY = target_of(SCANS, [WORSE, Change(before=2.5, after=3.0), NO_COMMON_PAIR])
OTHER = target_of([scan(3, 3.0, target="other")])
COLUMNS = ("checksum", "pairs", "left out", "garak", "report")
END = ".report.jsonl"
DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."


def test_one_line_per_target_and_targets_side_by_side() -> None:
    got = text_lines(shown(HISTORY, OTHER), width=None)
    assert [re.split(r" {2,}", line.strip()) for line in got] == [
        ["Target test Blank: 4 scans under 2 checksums"],
        ["start", "TBSA", "repeat", "change", "verdict", *COLUMNS],
        ["unknown", "2.0", "1.8 to 2.1", "0000-0000", "5", "0", "unknown", "r1" + END],
        [
            *(
                "2026-03-02 10:20",
                "2.5*",
                "unknown",
                "+0.5 over 4",
                "worse, p = 0.0031",
            ),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r2" + END),
        ],
        [
            *("2026-03-03 10:20", "3.0", "best", "2.8 to 3.1", "+0.5"),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r3" + END),
        ],
        [
            *("2026-03-04 10:20", "2.8", "latest", "2.6 to 2.9", "not compared"),
            *("1f3a-9c2e", "5", "0", "0.17.1", f"4a{END} and 1 more"),
        ],
        [""],
        ["Target other: 1 scan"],
        ["start", "TBSA", "repeat", *COLUMNS],
        [
            *("2026-03-03 10:20", "3.0", "2.8 to 3.1"),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r3" + END),
        ],
        [""],
        ["Targets by their latest scan with checksum 1f3a-9c2e"],
        ["rank", "TBSA", "repeat", "start", "best", "garak", "target"],
        ["1", "3.0", "2.8 to 3.1", "2026-03-03 10:20", "3.0", "0.17.1", "other"],
        ["2", "2.8", "2.6 to 2.9", "2026-03-04 10:20", "3.0", "0.17.1", "test Blank"],
        [""],
        ["* partial: the scan was interrupted"],
        ["repeat: what 95 % of repeats of that scan would score"],
        [
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        ],
        ["not compared: no pair is in both scans with the same tier"],
        [
            "Changes are against the scan before, with the tests of compare by"
            " attempts, else counts, at level 0.05 (5,000 permutations)."
        ],
        [DISCLAIMER],
    ]


def test_the_latest_change_says_what_it_is_due_to() -> None:
    found = target_of(SCANS[:2], [WORSE])
    got = text_lines(shown(found), width=None)
    assert "Latest change: worse (p = 0.003): a + b fell from 84 % to 51 %" in got


@given(
    width=st.integers(40, 200),
    target=st.text(max_size=90),
    source=st.text(min_size=1, max_size=90),
)
def test_no_line_is_wider_than_the_terminal(
    width: int, target: str, source: str
) -> None:
    """Output never wider than the terminal unless piped."""
    scans = [
        scan(day, 3.0, source=f"/runs/{source}", target=target) for day in (1, 2, 3)
    ]
    found = target_of(scans, [WORSE, NO_COMMON_PAIR])
    lines = text_lines(shown(found, OTHER), width=width)
    assert max(map(len, lines)) <= width


def test_a_narrow_terminal_gets_fewer_columns_and_shorter_paths() -> None:
    scans = [
        scan(day, 3.0, source=f"/runs/{'deeper/' * 9}r{day}.report.jsonl")
        for day in (1, 2)
    ]
    lines = text_lines(shown(target_of(scans, [WORSE])), width=80)
    assert lines[1].split() == ["start", "TBSA", "change", "verdict", "report"]
    assert lines[3].startswith("  2026-03-02   3.0  latest, best  +0.5 over 4  worse")
    assert lines[3].endswith(".jsonl")
    assert lines[3].count("…") == 1


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/runs/a/b.jsonl", "/runs", "a/b.jsonl"),
        ("/runs/a/b.jsonl", "/runs/", "a/b.jsonl"),
        ("./b.jsonl", ".", "b.jsonl"),
        ("/else/b.jsonl", "/runs", "/else/b.jsonl"),
        ("s3://bucket/runs/b.jsonl", "s3://bucket/runs/", "b.jsonl"),
        ("memory:///runs/x/b.jsonl", "memory://runs", "x/b.jsonl"),
        ("/runsets/b.jsonl", "/runs", "/runsets/b.jsonl"),
    ],
)
def test_a_path_is_told_below_the_folder(path: str, folder: str, expected: str) -> None:
    assert below(path, folder) == expected


def test_one_json_object_per_scan_keeps_what_it_had() -> None:
    documents = [json.loads(line) for line in json_lines([HISTORY]).splitlines()]
    assert len(documents) == len(SCANS)
    for document, each in zip(documents, SCANS, strict=True):
        kept = {key: document[key] for key in asdict(each)}
        assert kept == json.loads(json.dumps(dict(asdict(each))))
    assert [each["latest"] for each in documents] == [False, False, False, True]
    assert [each["best"] for each in documents] == [False, False, True, False]
    assert documents[0]["change"] is None
    assert documents[1]["change"]["difference"] == 0.5
    assert documents[1]["change"]["verdict"] == "worse"
    assert documents[2]["change"]["verdict"] is None
    assert documents[3]["change"] is None
    assert documents[3]["change_missing_because"] == NO_COMMON_PAIR.reason
    assert documents[3]["merged_from"] == list(SCANS[3].merged_from)


class Shapes(HTMLParser):
    """What the charts of a page are drawn of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.drawn: dict[str, list[dict[str, str | None]]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.drawn.setdefault(tag, []).append(dict(attrs))

    def lines(self, kind: str) -> list[dict[str, str | None]]:
        return [line for line in self.drawn["line"] if line["class"] == kind]


def test_a_chart_shows_each_scan_at_its_height() -> None:
    shapes = Shapes(history_page.to_page(shown(HISTORY, OTHER)))
    assert len(shapes.drawn["svg"]) == 1, "one scan alone is no chart"
    dots = [dot for dot in shapes.drawn["circle"] if dot["class"] == "full"]
    top, bottom = history_page.TOP, history_page.BOTTOM
    assert [float(str(dot["cy"])) for dot in dots] == [
        pytest.approx(bottom - (bottom - top) * (each.tbsa - 1) / 4) for each in SCANS
    ]
    xs = [float(str(dot["cx"])) for dot in dots]
    assert xs == sorted(set(xs))
    assert len(shapes.lines("whisker")) == 3, "the interval of one is not known"
    marked = [dot for dot in shapes.drawn["circle"] if dot["class"] == "marked"]
    assert [float(str(dot["cx"])) for dot in marked] == xs[2:]
    (label,) = [svg["aria-label"] for svg in shapes.drawn["svg"]]
    assert str(label).startswith("TBSA over time: unknown: 2.0, 2026-03-02 10:20: 2.5")


def test_only_scans_of_one_checksum_share_a_line() -> None:
    """Also where a scan of another checksum lies between them."""
    scans = [scan(1, 2.0), scan(2, 4.0, checksum="0000-0000"), scan(3, 3.0)]
    shapes = Shapes(history_page.to_page(shown(target_of(scans))))
    dots = [dot["cx"] for dot in shapes.drawn["circle"] if dot["class"] == "full"]
    (line,) = shapes.lines("line")
    assert (line["x1"], line["x2"]) == (dots[0], dots[2])


def test_a_scan_alone_with_its_checksum_is_not_the_best() -> None:
    alone = target_of([scan(1, 4.0), scan(2, 5.0, checksum="0000-0000")])
    assert [mark(each, alone) for each in alone.scans] == ["", "latest"]


def test_worse_and_best_in_one_row_are_explained() -> None:
    """The score rose, and pairs fell by more than chance."""
    risen = Change(before=2.0, after=2.5, verdict="worse", p_worse=0.01)
    both = target_of([scan(1, 2.0), scan(2, 2.5)], [risen])
    assert any(line.startswith("worse and best: ") for line in legend(shown(both)))
    assert not any("worse and best" in line for line in legend(shown(HISTORY)))


def test_a_chart_of_many_scans_shows_the_newest() -> None:
    scans = [scan(1, 3.0, source=f"{number:04}") for number in range(300)]
    page = history_page.to_page(shown(target_of(scans)))
    dots = Shapes(page).drawn["circle"]
    assert len([dot for dot in dots if dot["class"] == "full"]) == 200
    assert "100 older ones are not shown" in page


@pytest.mark.parametrize("count", [2, 5, 6, 40])
def test_day_labels_do_not_meet(count: int) -> None:
    scans = [scan(1, 3.0, source=f"{index:03}") for index in range(count)]
    found = target_of(scans)
    points = history_page._points(scans, found)
    labelled = [point for point in points if point["day"]]
    assert labelled[0] is points[0]
    assert labelled[-1] is points[-1]
    assert len(labelled) <= history_page.DATES_AT_MOST + 1
    spots = [point["x"] for point in labelled]
    gaps = [after - before for before, after in pairwise(spots)]
    assert min(gaps) >= 100


def test_hostile_text_is_text() -> None:
    evil = "<script>window.ran=1</script>\x1b[2J"
    found = target_of([scan(1, 3.0, target=evil, source=evil)])
    page = history_page.to_page(shown(found, folder=evil, merging=(evil,)))
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;window.ran=1&lt;/script&gt;\\x1b[2J" in page
    assert "\x1b" not in "".join(text_lines(shown(found), width=None))
