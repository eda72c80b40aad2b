# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.narrow_table import narrow_table
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.safe_text import printable
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.checksum import Checksum
from garak_tbsa.tbsa.gate import GateVerdict, worth_saying
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.terminal import broken
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
WARNINGS_SHOWN = 3
SHARES_A_LINE = 7
WIDTH = 79
"""Columns of a terminal less one, as a symbol may take two."""

NO_BREAK = "\xa0"


def quiet_lines(scored: ScoredReport, *, with_hash: bool) -> list[str]:
    """The same three lines that garak's own module prints with ``-q``."""
    assessment = scored.assessment
    lines = [f"📝 Probe/detector pairs contributing: {assessment.contributing}"]
    if with_hash:
        lines.append(f"🔑 Version/probe hash: {assessment.version_probe_hash}")
    return [*lines, score_line(scored.tbsa)]


def score_line(tbsa: float) -> str:
    """The score with garak's colour square."""
    return f"{wording.colour_square(tbsa)} TBSA: {wording.tbsa_text(tbsa)}"


def verdict_lines(verdict: GateVerdict | None) -> list[str]:
    """What is said of each rule's outcome."""
    return [
        f"{'✔️ gate passed' if outcome.passed else '❌ gate failed'}: {outcome.rule}:"
        f" {outcome.said}"
        for outcome in worth_saying(verdict)
    ]


def answer_lines(scored: ScoredReport, *, with_hash: bool = True) -> list[str]:
    """What is said of a score first, and after a scan.

    Parameters
    ----------
    scored : ScoredReport
    with_hash : bool
        Whether to show hash and checksum.
    """
    is_told = scored.repeat != NOT_ASKED_FOR and scored.assessment.garak_score is None
    known = scored.range_text if is_told else None
    more = len(scored.all_warnings) - WARNINGS_SHOWN
    ids = (
        f"Version/probe hash: {scored.assessment.version_probe_hash},"
        f" Checksum: {scored.checksum}"
    )
    return [
        score_line(scored.tbsa),
        *folded(marked("   ", known, scored.luck, scored.look_first)),
        *verdict_lines(scored.verdict),
        *folded(
            [
                *marked("   ", scored.tiers_text, scored.counted),
                f"📐 Calibration: {scored.calibration}",
                *([f"🔑 {ids}"] if with_hash else ()),
                *marked("⚠️ ", *scored.all_warnings[:WARNINGS_SHOWN]),
                *([f"   … and {more} more warnings (-v)"] if more > 0 else ()),
                f"   {wording.DISCLAIMER}",
            ]
        ),
    ]


def detail_lines(scored: ScoredReport) -> list[str]:
    """What else is known of a score."""
    report = scored.report
    lines = [
        f"   garak {report.garak_version or 'of unknown version'},"
        f" target {report.target}",
        f"   run_uuid {report.run_uuid or 'unknown'}, read from: {report.origin}",
        *marked("⚠️ ", *scored.all_warnings[WARNINGS_SHOWN:]),
        *_range_lines(scored.repeat),
        *_small_pair_lines(scored.small_pairs),
        *marked("   ", scored.unmeasured),
    ]
    return [f"📜 Report file: {report.source}", *folded(lines)]


def marked(mark: str, *texts: str | None) -> list[str]:
    """Put a mark before each text that there is."""
    return [f"{mark}{text}" for text in texts if text is not None]


def wrapped(first: str, text: str) -> list[str]:
    """Break a line at 80 columns; long names break where a word of theirs ends."""
    parts = broken(text, WIDTH + 1 - len(first))
    indent = " " * len(first)
    return [f"{indent if n else first}{part}" for n, part in enumerate(parts)]


def folded(lines: Iterable[str]) -> list[str]:
    """Break lines that a terminal would, at spaces, so that names stay whole."""
    return [part for line in lines for part in _folded(line)]


def _folded(line: str) -> list[str]:
    text = printable(line.lstrip(" ")).replace("\n", "\\n")
    leading = " " * (len(line) - len(line.lstrip(" ")))
    parts = wrap(
        # a number keeps its percent sign
        text.replace(" %", f"{NO_BREAK}%"),
        WIDTH,
        initial_indent=leading,
        subsequent_indent=f"{leading}  " if len(leading) > 3 else "   ",
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace(f"{NO_BREAK}%", " %") for part in parts or [line]]


def _small_pair_lines(small: Sequence[str]) -> list[str]:
    if not small:
        return []
    return [
        f"   {wording.pairs_text(len(small))} with fewer than 30 outputs:",
        *marked("     ", *small),
    ]


def _range_lines(repeat: RepeatDistribution | Unavailable) -> list[str]:
    """How likely each score of a repeat is, and what this rests on."""
    if isinstance(repeat, Unavailable):
        return []
    shares = [
        f"{wording.tbsa_text(tbsa)}: {wording.whole_percentage(share)}"
        for tbsa, share in repeat.probabilities
        if share > 0.005
    ]
    rows = range(0, len(shares), SHARES_A_LINE)
    return [
        *(f"   {', '.join(shares[at : at + SHARES_A_LINE])}" for at in rows),
        f"   unit of repetition: {wording.unit_text(repeat)}",
        *folded([f"   {wording.basis_text(repeat)}"]),
    ]


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
    """Return a path without the folder that it is below; others are as they are."""
    start = folder if folder.endswith("/") else f"{folder}/"
    if folder and path.startswith(start):
        return path[len(start) :]
    # a store may write the address of a folder otherwise than its user did
    name = folder.rstrip("/").rpartition("/")[2]
    _, found, rest = path.partition(f"/{name}/") if "://" in path else ("", "", "")
    return rest if found and name else path


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
