# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a campaign found, as text and as the table in the docs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

from garak_tbsa import __version__
from tools.fuzz.campaign import Campaign

TABLE = Path(__file__).parents[2] / "docs" / "measured" / "fuzz.md"
WHAT = {
    "reports": "reports of every dialect",
    "rows": "labelled rows (.jsonl, .csv, .tsv, .parquet)",
    "summaries": "metrics summaries",
    "settings": "settings under `reporting.tbsa`",
    "sheets": "label sheets against a report",
}


def summary_lines(campaign: Campaign, seconds: float) -> Iterator[str]:
    """Yield a line for each subject and each defect."""
    for name, tally in campaign.tallies.items():
        yield (
            f"{name}: {tally.tried} tried, {tally.answered} answered,"
            f" {tally.refused} refused in one line, {tally.failed} failed;"
            f" {tally.agreed} scores confirmed, {tally.spawned} as own processes"
        )
    for signature, count in campaign.signatures.most_common():
        yield f"{count} x {signature}"
    total = sum(tally.tried for tally in campaign.tallies.values())
    rate = total / seconds * 60
    yield f"seed {campaign.seed}: {total} in {seconds:.0f} s, {rate:,.0f} a minute"


def write_record(campaign: Campaign, seconds: float) -> Path:
    """Write the table of the docs."""
    lines = [
        "| what | tried | answered | refused in one line | failed |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {WHAT[name]} | {tally.tried:,} | {tally.answered:,} |"
        f" {tally.refused:,} | {tally.failed:,} |"
        for name, tally in campaign.tallies.items()
    ]
    reports = campaign.tallies.get("reports")
    agreed = reports.agreed if reports else 0
    spawned = sum(tally.spawned for tally in campaign.tallies.values())
    lines += [
        "",
        f"{agreed:,} scores were compared with the independent one. {spawned:,} cases"
        " ran as separate processes, with at most 512 MiB each.",
    ]
    if campaign.signatures:
        counts = campaign.signatures.most_common()
        told = "; ".join(f"{name} ({count:,})" for name, count in counts)
        lines += ["", f"Open: {told}."]
    lines += [
        "",
        setting(seconds, "fuzz", campaign.seed),
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return TABLE


def setting(seconds: float, tool: str, seed: int) -> str:
    """Return when, with what and how something was tried."""
    return (
        f"Tried {date.today().isoformat()} on {os.cpu_count()} cores"
        f" ({platform.system()}, {platform.machine()}), garak-tbsa {__version__},"
        f" garak {version('garak')}, Python {platform.python_version()};"
        f" took {seconds:.0f} s. Again:"
        f" `python -m tools.{tool} --seconds {seconds:.0f} --seed {seed}`"
    )
