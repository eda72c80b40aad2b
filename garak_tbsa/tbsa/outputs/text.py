# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.checksum import Checksum
from garak_tbsa.tbsa.gate_outcomes import GateVerdict
from garak_tbsa.tbsa.outputs import wording
from garak_tbsa.tbsa.outputs.narrow_table import narrow_table
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.tbsa.score import TierSum
from garak_tbsa.unavailable import Unavailable

RULE = "─" * 50
PAIR_HEADER = (
    "tier",
    "probe",
    "detector",
    "passed",
    "pass rate",
    "Z-score",
    *(f"{rule.title} grade" for rule in GRADE_RULES),
    "grade",
)
LISTED = 10
SHARES_A_LINE = 7
WIDTH = 79
"""Columns of a terminal less one, as a symbol may take two."""

NO_BREAK = "\xa0"


def quiet_lines(assessment: Assessment, *, with_hash: bool) -> list[str]:
    """The same three lines that garak's own module prints with ``-q``."""
    lines = [f"📝 Probe/detector pairs contributing: {assessment.contributing}"]
    if with_hash:
        lines.append(f"🔑 Version/probe hash: {assessment.version_probe_hash}")
    return [*lines, score_line(assessment)]


def score_line(assessment: Assessment) -> str:
    """The score with garak's colour square."""
    tbsa = assessment.tbsa
    return f"{wording.colour_square(tbsa)} TBSA: {wording.tbsa_text(tbsa)}"


def verdict_lines(verdict: GateVerdict) -> list[str]:
    """Each rule's outcome."""
    return [
        f"{'✔️ gate passed' if outcome.passed else '❌ gate failed'}: {outcome.rule}:"
        f" {outcome.said}"
        for outcome in verdict.outcomes
    ]


def brief_lines(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable | None
) -> list[str]:
    """The score in the few lines that follow a scan."""
    lines = [score_line(assessment), *_repeat_lines(repeat)[:1]]
    if repeat is not None:
        lines += _luck_lines(assessment, repeat)
    tiers = [_tier_text(part) for part in assessment.documented.tiers]
    left_out = f"left out: {len(assessment.left_out)}"
    lines.append("   " + "; ".join([*tiers, left_out]))
    missing = wording.missing_tier_text(assessment)
    if missing is not None:
        lines.append(f"⚠️ {missing}")
    lines += [f"⚠️ {warning}" for warning in assessment.warnings]
    lines.append(f"🔑 Checksum: {assessment.checksum.text}")
    return folded([*lines, f"   {wording.DISCLAIMER}"])


def repeat_lines(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> list[str]:
    """What a repeat of the scan would score, in short."""
    return folded([*_repeat_lines(repeat)[:1], *_luck_lines(assessment, repeat)])


def summary_lines(
    assessment: Assessment,
    repeat: RepeatDistribution | Unavailable | None,
    *,
    with_hash: bool,
) -> list[str]:
    """All that is said about one score.

    Parameters
    ----------
    assessment : Assessment
    repeat : RepeatDistribution, Unavailable or None
        What a repeat would score; None to not speak of it.
    with_hash : bool
        Whether to show hash and checksum.
    """
    report = assessment.report
    version = report.garak_version or "of unknown version"
    run_uuid = report.run_uuid or "unknown"
    source = f"📜 Report file: {report.source}"
    lines = [
        f"   garak {version}, target {report.target}",
        f"❄️ Digest run_uuid is {run_uuid}",
        f"   read from: {report.origin}",
        f"📐 Calibration: {wording.calibration_text(assessment.calibration)}",
    ]
    if report.partial_reason is not None:
        lines.append(f"⚠️ Partial: {report.partial_reason}")
    lines += [f"⚠️ {warning}" for warning in assessment.warnings]
    lines.append(RULE)
    lines.append(f"📝 Probe/detector pairs contributing: {assessment.contributing}")
    lines += _tier_lines(assessment)
    lines += _left_out_lines(assessment)
    if with_hash:
        lines.append(f"🔑 Version/probe hash: {assessment.version_probe_hash}")
        lines.append(f"🔑 Checksum: {assessment.checksum.text}")
    lines.append(score_line(assessment))
    if repeat is not None:
        lines += _repeat_lines(repeat)[:1]
        lines += _luck_lines(assessment, repeat)
        lines += _repeat_lines(repeat)[1:]
        lines += _small_pair_lines(small_pairs(assessment.graded))
    lines += _unmeasured_lines(assessment)
    return [source, *folded([*lines, f"   {wording.DISCLAIMER}"])]


def folded(lines: Iterable[str]) -> list[str]:
    """Break lines that a terminal would, at spaces, so that names stay whole."""
    return [part for line in lines for part in _folded(line)]


def _folded(line: str) -> list[str]:
    # a number keeps its percent sign
    first, *words = line.replace(" %", f"{NO_BREAK}%").split(" ")
    parts = [first]
    leading = len(line) - len(line.lstrip())
    indent = " " * (leading + 2 if leading > 3 else 3)
    for word in words:
        if len(parts[-1]) + 1 + len(word) > WIDTH and parts[-1].strip():
            parts.append(indent + word)
        else:
            parts[-1] += f" {word}"
    return [part.replace(f"{NO_BREAK}%", " %") for part in parts]


def _tier_lines(assessment: Assessment) -> list[str]:
    if assessment.garak_score is not None:
        return ["   by garak's own formula: Z grades alone; see --formula documented"]
    lines = [f"   {_tier_text(part)}" for part in assessment.documented.tiers]
    missing = wording.missing_tier_text(assessment)
    return lines if missing is None else [*lines, f"⚠️ {missing}"]


def _tier_text(part: TierSum) -> str:
    return (
        f"Tier {part.tier}: {wording.pairs_text(part.count)}, mean"
        f" {wording.mean_text(part.mean)}"
    )


def _left_out_lines(assessment: Assessment) -> list[str]:
    left_out = assessment.left_out
    if not left_out:
        return ["   left out: none"]
    shown = [f"     {entry.pair.name}: {entry.text}" for entry in left_out]
    if len(shown) > LISTED:
        more = len(shown) - LISTED
        shown = [*shown[:LISTED], f"     … and {more} more (-v shows all)"]
    return [f"   left out: {len(left_out)}", *shown]


def _repeat_lines(repeat: RepeatDistribution | Unavailable | None) -> list[str]:
    if repeat is None:
        return []
    if isinstance(repeat, Unavailable):
        return [f"   repeat interval: none, {repeat.reason}"]
    lines = [f"   {wording.repeat_text(repeat)}"]
    shares = [
        f"{wording.tbsa_text(tbsa)}: {wording.whole_percentage(share)}"
        for tbsa, share in repeat.probabilities
        if share > 0.005
    ]
    lines += [
        "   " + ", ".join(shares[start : start + SHARES_A_LINE])
        for start in range(0, len(shares), SHARES_A_LINE)
    ]
    lines.append(f"   unit of repetition: {wording.unit_text(repeat)}")
    return [*lines, *folded([f"   {wording.basis_text(repeat)}"])]


def _luck_lines(
    assessment: Assessment, repeat: RepeatDistribution | Unavailable
) -> list[str]:
    if isinstance(repeat, Unavailable):
        return []
    luck = wording.luck_text(assessment, repeat)
    return [] if luck is None else [f"   {luck}"]


def _small_pair_lines(small: Sequence[str]) -> list[str]:
    if not small:
        return []
    lines = [f"   {wording.pairs_text(len(small))} with fewer than 30 outputs:"]
    lines += [f"     {name}" for name in small[:LISTED]]
    if len(small) > LISTED:
        lines.append(f"     … and {len(small) - LISTED} more (in the JSON)")
    return lines


def _unmeasured_lines(assessment: Assessment) -> list[str]:
    unmeasured = wording.unmeasured_text(assessment)
    return [] if unmeasured is None else [f"   {unmeasured}"]


def pair_table(assessment: Assessment, width: int | None = None) -> list[str]:
    """Every pair that counts, then every pair left out, as aligned columns.

    Parameters
    ----------
    assessment : Assessment
    width : int or None
        Columns of the terminal; None for any.
    """
    rows = [
        (
            str(pair.tier),
            pair.probe,
            pair.detector,
            wording.counts_text(pair),
            wording.percentage(pair.pass_rate),
            wording.z_text(pair),
            *(wording.grade_text(found) for found in pair.grades),
            str(pair.grade),
        )
        for pair in sorted(assessment.graded, key=lambda p: (p.tier, p.grade, p.name))
    ]
    lines = table([PAIR_HEADER, *rows], width)
    lines += [f"left out: {e.pair.name}: {e.text}" for e in assessment.left_out]
    return lines


def checksum_lines(checksum: Checksum) -> list[str]:
    """Each part of a checksum, as ``--explain-checksum`` prints it."""
    lines = [f"Checksum {checksum.text} covers:"]
    for name in sorted(checksum.parts):
        value = checksum.parts[name]
        if name == "pairs":
            lines.append(f"  pairs: {len(value)}, with their tiers")
            lines += [f"    {pair} (tier {tier or 'unknown'})" for pair, tier in value]
        else:
            lines.append(f"  {name}: {canonical(value).decode('ascii')}")
    return lines


def report_table(
    assessments: Sequence[Assessment], folder: str = "", width: int | None = None
) -> list[str]:
    """Several scores in one table, grouped by checksum.

    Parameters
    ----------
    assessments : sequence of Assessment
    folder : str
        Paths are shown from here on.
    width : int or None
        Columns of the terminal; None for any.
    """
    lines: list[str] = []
    groups: dict[str, list[Assessment]] = {}
    for assessment in assessments:
        groups.setdefault(assessment.checksum.text, []).append(assessment)
    for checksum, members in groups.items():
        rows = [("TBSA", "target", "pairs", "left out", "start", "report")]
        rows += [
            (
                wording.tbsa_text(member.tbsa)
                + ("*" if member.report.is_partial else ""),
                member.report.target_name or member.report.target_type or "unknown",
                str(member.contributing),
                str(len(member.left_out)),
                (member.report.start_time or "unknown")[:16],
                below(member.report.source, folder),
            )
            for member in members
        ]
        lines += [f"🔑 Checksum: {checksum}", *table(rows, width), ""]
    if len(groups) > 1:
        lines += [
            f"{len(groups)} checksums: only scores with the same checksum can be"
            " compared",
            "(--explain-checksum shows the parts)",
        ]
    if any(member.report.is_partial for member in assessments):
        lines.append("* partial: the scan was interrupted")
    return [*lines, wording.DISCLAIMER]


def below(path: str, folder: str) -> str:
    """Return a path without the folder that it is in; others are as they are."""
    start = folder if folder.endswith("/") else f"{folder}/"
    return path[len(start) :] if folder and path.startswith(start) else path


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """Align columns; numbers in all but the first row go to the right.

    Parameters
    ----------
    rows : sequence of rows
        The first is the header.
    width : int or None
        Columns of the terminal: where the table is wider, names fold.
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    if width is not None and sum(widths) + 2 * (len(widths) - 1) > width:
        return narrow_table(rows, width)
    return [_row(row, widths) for row in rows]


def _row(cells: Iterable[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
        for cell, width in zip(cells, widths, strict=True)
    ).rstrip()
