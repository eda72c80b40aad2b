# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history of scans as a table, as JSON Lines and as a page with charts."""

from __future__ import annotations

import json

from garak_tbsa.lean.record import values_of
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.text import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from garak_tbsa.tbsa.history import Scan, Series

LEFT, RIGHT, TOP, BOTTOM = 40, 640, 12, 172
LABELS_AT_MOST = 5
BASIS = "repeat: by pass counts alone (score --repeat reads the attempts)"


def lines(series: Sequence[Series]) -> list[str]:
    """Return one table per target and checksum."""
    shown: list[str] = []
    for group in series:
        rows = [("start", "TBSA", "repeat", "pairs", "left out", "garak", "report")]
        rows += [_row(scan) for scan in group.scans]
        shown.append(f"Target {group.target}, checksum {group.checksum}")
        shown += [f"  {line}" for line in table(rows)]
        shown.append("")
    if any(scan.partial for group in series for scan in group.scans):
        shown.append("* partial: the scan was interrupted")
    if shown:
        shown.append(BASIS)
    return [*shown, wording.DISCLAIMER]


def _row(scan: Scan) -> tuple[str, str, str, str, str, str, str]:
    return (
        _when(scan),
        wording.tbsa_text(scan.tbsa) + ("*" if scan.partial else ""),
        _range(scan),
        str(scan.pairs),
        str(scan.left_out),
        scan.garak_version or "unknown",
        scan.source,
    )


def _when(scan: Scan) -> str:
    return (scan.start_time or "unknown")[:16].replace("T", " ")


def _range(scan: Scan) -> str:
    if scan.lower is None or scan.upper is None:
        return "unknown"
    return f"{wording.tbsa_text(scan.lower)} to {wording.tbsa_text(scan.upper)}"


def to_json_lines(scans: Iterable[Scan]) -> str:
    """Return one JSON object per scan and line."""
    return "".join(
        json.dumps(dict(values_of(scan)), ensure_ascii=False, allow_nan=False) + "\n"
        for scan in scans
    )


def to_page(series: Sequence[Series], folder: str) -> str:
    """Return the page: a chart and a table per target and checksum."""
    from garak_tbsa.tbsa.outputs.html_page import filled

    return filled(
        "history.html",
        {"folder": folder, "series": [_series_values(group) for group in series]},
    )


def _series_values(group: Series) -> dict[str, Any]:
    points = _points(group.scans)
    described = ", ".join(
        f"{_when(s)}: {wording.tbsa_text(s.tbsa)}" for s in group.scans
    )
    return {
        "target": group.target,
        "checksum": group.checksum,
        "points": points,
        "path": " ".join(f"{point['x']},{point['y']}" for point in points),
        "grid": [{"y": _height(grade), "grade": grade} for grade in (1, 2, 3, 4, 5)],
        "label": f"TBSA over time: {described}",
        "rows": [
            {
                "when": _when(scan),
                "tbsa": wording.tbsa_text(scan.tbsa),
                "grade": int(scan.tbsa),
                "range": _range(scan),
                "pairs": scan.pairs,
                "left_out": scan.left_out,
                "partial": scan.partial,
                "source": scan.source,
            }
            for scan in group.scans
        ],
    }


def _points(scans: Sequence[Scan]) -> list[dict[str, Any]]:
    last = len(scans) - 1
    step = (RIGHT - LEFT - 40) / max(1, last)
    every = -(-len(scans) // LABELS_AT_MOST)
    points = []
    for index, scan in enumerate(scans):
        is_end = index in (0, last)
        is_labelled = is_end or (index % every == 0 and index + every <= last)
        known = scan.lower is not None and scan.upper is not None
        points.append(
            {
                "x": round(LEFT + 20 + index * step, 1),
                "y": _height(scan.tbsa),
                "low": _height(scan.lower) if known else None,
                "high": _height(scan.upper) if known else None,
                "grade": int(scan.tbsa),
                "day": _when(scan)[:10] if is_labelled else "",
                "is_end": is_end,
                "anchor": "start" if index == 0 else "end" if is_end else "middle",
            }
        )
    return points


def _height(tbsa: float | None) -> float:
    assert tbsa is not None
    return round(BOTTOM - (BOTTOM - TOP) * (tbsa - 1) / 4, 1)
