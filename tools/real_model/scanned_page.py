# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/measured/scanned.md: published metrics beside those of scans, by detector."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.unavailable import Unavailable
from tools.labelled_data.families import DATA, ROOT
from tools.real_model.held_out import read_held_out
from tools.real_model.scanned import Compared, DetectorCheck, Share, check_detector
from tools.real_model.spread import spread_of

PAGE = ROOT / "docs" / "measured" / "scanned.md"
HELD_OUT = DATA / "held_out"
SUMMARY = DATA / "detector_metrics_summary.json"
REASONS = DATA / "held_out_reasons.json"


def checks(
    folder: Path = HELD_OUT, summary: Path = SUMMARY
) -> tuple[DetectorCheck, ...]:
    """Compare each detector that has held-out rows and published counts.

    Raises
    ------
    DatasetError
        There are no held-out rows, or a file has others.
    """
    results = json.loads(summary.read_bytes())["results"]
    found = [read_held_out(path) for path in sorted(folder.glob("*.jsonl"))]
    if not found:
        raise DatasetError(f"{folder}: expected held-out rows, found none")
    return tuple(
        check_detector(
            each,
            results[each.detector]["counts"],
            results[each.detector].get("metrics", {}).get("reason"),
        )
        for each in found
        if each.detector in results
    )


def page_text(
    compared: Sequence[DetectorCheck],
    reasons: Mapping[str, str],
    sources: Mapping[str, Any],
) -> str:
    """Return the page.

    Parameters
    ----------
    compared : sequence of DetectorCheck
    reasons : mapping of str to str
        Why a detector differs, as far as it was found out.
    sources : mapping
        What the rows' ``source`` says, in :func:`source_counts`.
    """
    differing = [check for check in compared if check.differs]
    rows = sum(check.rows for check in compared)
    lines = [
        *_opening(compared, rows, sources),
        "",
        "| detector | rows, hits | flagged | sensitivity published | scanned |"
        " specificity published | scanned | differs | tau |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
        *map(_line, compared),
        "",
        "### Those that differ",
        "",
        *_differing(differing, reasons),
    ]
    return "\n".join(lines) + "\n"


def _opening(
    compared: Sequence[DetectorCheck], rows: int, sources: Mapping[str, Any]
) -> Iterator[str]:
    both = [
        each
        for check in compared
        for each in (check.sensitivity, check.specificity)
        if len(each.known) == 2
    ]
    differing = sum(each.differs for each in both)
    yield (
        f"{rows} responses of a real model to {len(compared)} detectors' probes,"
        " labelled and in none of the labelled files: scans of"
        f" {sources['model']} with {sources['garak']} and another seed than the"
        " labelled rows. The rater saw rules, prompt and response, mixed with labelled"
        " rows, and neither the detector's verdict nor which rows were held out."
    )
    yield ""
    yield (
        "Of flagged and unflagged responses about as many were drawn, at random within"
        " each verdict; a row counts for all responses of its verdict, so that the"
        " shares are those of the scan. Published shares are those of the typical"
        " rows in `detector_metrics_summary.json`. Intervals hold 95 %. A share"
        " *differs* where the 95 % interval of the difference leaves out 0:"
        f" {differing} of {len(both)} do; one in twenty, about {len(both) / 20:.0f},"
        " would by chance alone. Where fewer than five rows of a class were"
        " found, nothing is said. tau is the standard deviation between the two"
        " populations on the logit, of sensitivity and of specificity (random effects;"
        " `tools/real_model/spread.py`)."
    )
    yield ""
    yield (
        "A small model's responses are no other model's: what holds here need not hold"
        " for another one. Rows are not changed to make"
        " these numbers agree."
    )


def _line(check: DetectorCheck) -> str:
    differs = [
        name
        for name, compared in (
            ("sensitivity", check.sensitivity),
            ("specificity", check.specificity),
        )
        if compared.differs
    ]
    return (
        f"| {check.detector} | {check.rows}, {check.hits} | {check.flagged_share:.2f} |"
        f" {_pair(check.sensitivity)} | {_pair(check.specificity)} |"
        f" {', '.join(differs)} |"
        f" {_tau(check.sensitivity)}, {_tau(check.specificity)} |"
    )


def _tau(compared: Compared) -> str:
    spread = spread_of(compared.known)
    return "-" if spread is None else f"{spread.tau:.1f}"


def _pair(compared: Compared) -> str:
    return f"{_written(compared.published)} | {_written(compared.scanned)}"


def _written(share: Share | Unavailable) -> str:
    if isinstance(share, Unavailable):
        return "-"
    return f"{share.value:.2f} [{share.lower:.2f}, {share.upper:.2f}]"


def _differing(
    differing: Sequence[DetectorCheck],
    reasons: Mapping[str, str],
) -> Iterator[str]:
    if not differing:
        yield "None."
    for check in differing:
        why = reasons.get(check.detector, "not found out yet")
        yield f"- **{check.detector}**: {why}"


def require_rows(reasons: Mapping[str, str], folder: Path = HELD_OUT) -> None:
    """Refuse a reason for a detector of which no rows are held out.

    Raises
    ------
    DatasetError
        There is one.
    """
    stale = sorted(set(reasons) - {path.stem for path in folder.glob("*.jsonl")})
    if stale:
        raise DatasetError(
            f"{REASONS}: {', '.join(stale)} has no held-out rows; take it out"
        )


def source_counts(folder: Path = HELD_OUT) -> dict[str, str]:
    """Return model and garak version as the rows' ``source`` has them.

    Raises
    ------
    DatasetError
        The rows come from several models or versions.
    """
    sources = {
        (parts[0], parts[-1])
        for path in folder.glob("*.jsonl")
        for row in read_held_out(path).rows
        for parts in [row["source"].split(", ")]
    }
    if len(sources) != 1:
        raise DatasetError(f"{folder}: expected rows of one model and garak version")
    ((model, garak),) = sources
    return {"model": model, "garak": garak}


def made_page() -> str:
    """Return the page of the repository's rows and summary."""
    reasons = json.loads(REASONS.read_bytes()) if REASONS.is_file() else {}
    require_rows(reasons)
    return page_text(checks(), reasons, source_counts())
