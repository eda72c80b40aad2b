# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from garak_tbsa.lean.record import values_of
from garak_tbsa.tbsa.history import Scan, in_series
from garak_tbsa.tbsa.outputs import history as output


def scan(day: int, tbsa: float, **others: object) -> Scan:
    known: dict[str, object] = {
        "source": f"r{day}",
        "run_uuid": f"run-{day}",
        "target": "test Blank",
        "start_time": f"2026-03-{day:02d}T10:20:30",
        "checksum": "1f3a-9c2e",
        "garak_version": "0.17.1",
        "tbsa": tbsa,
        "lower": tbsa - 0.2,
        "upper": tbsa + 0.1,
        "pairs": 5,
        "left_out": 0,
        "partial": False,
    }
    return Scan(**(known | others))  # type: ignore[arg-type]


SCANS = [
    scan(3, 3.0),
    scan(1, 2.0),
    scan(2, 2.5, lower=None, upper=None, partial=True),
    scan(4, 4.0, checksum="0000-0000", start_time=None, garak_version=None),
]


def test_one_table_per_target_and_checksum() -> None:
    assert output.lines(in_series(SCANS)) == [
        "Target test Blank, checksum 0000-0000",
        "  start    TBSA  repeat      pairs  left out  garak    report",
        "  unknown   4.0  3.8 to 4.1      5         0  unknown  r4",
        "",
        "Target test Blank, checksum 1f3a-9c2e",
        "  start             TBSA  repeat      pairs  left out  garak   report",
        "  2026-03-01 10:20   2.0  1.8 to 2.1      5         0  0.17.1  r1",
        "  2026-03-02 10:20  2.5*  unknown         5         0  0.17.1  r2",
        "  2026-03-03 10:20   3.0  2.8 to 3.1      5         0  0.17.1  r3",
        "",
        "* partial: the scan was interrupted",
        "repeat: by pass counts alone (score --repeat reads the attempts)",
        "TBSA sums a scan up; it does not replace reading the report.",
    ]


def test_one_json_object_per_scan() -> None:
    lines = output.to_json_lines(SCANS).splitlines()
    assert [json.loads(line) for line in lines] == [dict(values_of(s)) for s in SCANS]


class Shapes(HTMLParser):
    """What the charts of a page are drawn of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.drawn: dict[str, list[dict[str, str | None]]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.drawn.setdefault(tag, []).append(dict(attrs))


def test_a_chart_shows_each_scan_at_its_height() -> None:
    shapes = Shapes(output.to_page(in_series(SCANS), "/reports"))
    assert len(shapes.drawn["svg"]) == 1, "one scan alone is no chart"
    dots = shapes.drawn["circle"]
    assert [float(str(dot["cy"])) for dot in dots] == [
        pytest.approx(output.BOTTOM - (output.BOTTOM - output.TOP) * (tbsa - 1) / 4)
        for tbsa in (2.0, 2.5, 3.0)
    ]
    xs = [float(str(dot["cx"])) for dot in dots]
    assert xs == sorted(set(xs))
    whiskers = [line for line in shapes.drawn["line"] if line["class"] == "whisker"]
    assert len(whiskers) == 2, "the interval of one is not known"
    assert len(shapes.drawn["tr"]) == len(SCANS) + 2
    (label,) = [svg["aria-label"] for svg in shapes.drawn["svg"]]
    assert label == (
        "TBSA over time: 2026-03-01 10:20: 2.0, 2026-03-02 10:20: 2.5,"
        " 2026-03-03 10:20: 3.0"
    )


@pytest.mark.parametrize("count", [2, 5, 6, 40])
def test_day_labels_do_not_meet(count: int) -> None:
    scans = [scan(1, 3.0, source=f"{index:03}") for index in range(count)]
    points = output._points(in_series(scans)[0].scans)
    labelled = [point for point in points if point["day"]]
    assert labelled[0] is points[0]
    assert labelled[-1] is points[-1]
    assert len(labelled) <= output.LABELS_AT_MOST + 1
    spots = [point["x"] for point in labelled]
    gaps = [after - before for before, after in pairwise(spots)]
    assert min(gaps) >= 100


def test_hostile_text_is_text() -> None:
    evil = "<script>window.ran=1</script>\x1b[2J"
    page = output.to_page(in_series([scan(1, 3.0, target=evil, source=evil)]), evil)
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;window.ran=1&lt;/script&gt;\\x1b[2J" in page
