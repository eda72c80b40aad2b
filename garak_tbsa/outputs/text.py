# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A scored report as lines for a terminal: the answer, more of it, tables of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.gates.outcome import GateVerdict, worth_saying
from garak_tbsa.outputs import said
from garak_tbsa.outputs.columns import folded, marked, table
from garak_tbsa.outputs.scored import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.report.settings import canonical
from garak_tbsa.tbsa.checksum import Checksum
from garak_tbsa.tbsa.pairs import small_pairs
from garak_tbsa.tbsa.rules import GRADE_RULES
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

PAIR_HEADER = (
    *("tier", "probe", "detector", "passed", "pass rate", "Z-score"),
    *(f"{rule.title} grade" for rule in GRADE_RULES),
    "grade",
)
WARNINGS_SHOWN = 3
SHARES_A_LINE = 7


def quiet_lines(scored: ScoredReport, *, with_hash: bool) -> list[str]:
    """The same three lines that garak's own module prints with ``-q``."""
    assessment = scored.assessment
    lines = [f"📝 Probe/detector pairs contributing: {assessment.contributing}"]
    if with_hash:
        lines.append(f"🔑 Version/probe hash: {assessment.version_probe_hash}")
    return [*lines, score_line(scored.tbsa)]


def score_line(tbsa: float, ends: tuple[float, float] | None = None) -> str:
    """The score with garak's colour square, by the lower end of its range."""
    return f"{said.colour_square(tbsa, ends)} TBSA: {said.tbsa_text(tbsa)}"


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
    document = scored.document
    words = document.said
    known = None if scored.repeat == NOT_ASKED_FOR else words.range
    more = len(words.doubts) - WARNINGS_SHOWN
    return [
        score_line(scored.tbsa, scored.ends),
        *folded(marked("   ", known, words.lower_end, words.luck, words.look_first)),
        *verdict_lines(scored.verdict),
        *folded(
            [
                *marked("   ", words.tiers, words.counted),
                *marked("   left out: ", *words.left_out[: said.LEFT_OUT_NAMED]),
                f"📐 Calibration: {words.calibration}",
                *[
                    f"🔑 Version/probe hash: {document.version_probe_hash},"
                    f" Checksum: {document.checksum}"
                ]
                * with_hash,
                *marked("⚠️ ", *words.doubts[:WARNINGS_SHOWN]),
                *[f"   … and {more} more warnings (-v)"] * (more > 0),
                f"   {document.note}",
            ]
        ),
    ]


def detail_lines(scored: ScoredReport) -> list[str]:
    """What else is known of a score."""
    report, document = scored.report, scored.document
    lines = [
        f"   garak {report.garak_version or 'of unknown version'},"
        f" target {report.target}",
        f"   run_uuid {report.run_uuid or 'unknown'}, read from: {report.origin}",
        *marked("⚠️ ", *document.said.doubts[WARNINGS_SHOWN:]),
    ]
    if not isinstance(scored.repeat, Unavailable):
        shares = [
            f"{said.tbsa_text(tbsa)}: {said.whole_percentage(share)}"
            for tbsa, share in scored.repeat.probabilities
            if share > 0.005
        ]
        for at in range(0, len(shares), SHARES_A_LINE):
            lines.append(f"   {', '.join(shares[at : at + SHARES_A_LINE])}")
        lines.append(f"   unit of repetition: {document.said.unit}")
    lines += marked("   ", document.said.basis, scored.can_find)
    small = small_pairs(scored.assessment.graded)
    if small:
        count = said.pairs_text(len(small))
        lines += [f"   {count} with fewer than 30 outputs:", *marked("     ", *small)]
    lines += marked("   ", document.said.unmeasured)
    return [f"📜 Report file: {report.source}", *folded(lines)]


def pair_table(scored: ScoredReport, width: int | None = None) -> list[str]:
    """Every pair that counts, then every pair left out, as aligned columns.

    Parameters
    ----------
    scored : ScoredReport
    width : int or None
        Columns of the terminal; None for any.
    """
    rows = [
        (
            *(str(pair.tier), pair.probe, pair.detector, said.counts_text(pair)),
            *(said.percentage(pair.pass_rate), said.z_text(pair)),
            *map(said.grade_text, pair.grades),
            str(pair.grade),
        )
        for pair in scored.by_risk
    ]
    out = (f"{name}: {why}" for name, why in scored.assessment.left_out_lines)
    return [*table([PAIR_HEADER, *rows], width), *marked("left out: ", *out)]


def checksum_lines(checksum: Checksum) -> list[str]:
    """Each part of a checksum, as ``--explain-checksum`` prints it."""
    lines = [f"Checksum {checksum.text} covers:"]
    for name, value in sorted(checksum.parts.items()):
        if name == "pairs":
            lines.append(f"  pairs: {len(value)}, with their tiers")
            lines += [f"    {pair} (tier {tier or 'unknown'})" for pair, tier in value]
        else:
            lines.append(f"  {name}: {canonical(value).decode('ascii')}")
    return lines


def report_table(
    assessments: Sequence[Scan], folder: str = "", width: int | None = None
) -> list[str]:
    """Several scores in one table, grouped by checksum.

    Parameters
    ----------
    assessments : sequence of Scan
    folder : str
        Paths are shown from here on.
    width : int or None
        Columns of the terminal; None for any.
    """
    lines: list[str] = []
    groups: dict[str, list[Scan]] = {}
    for assessment in assessments:
        groups.setdefault(assessment.checksum.text, []).append(assessment)
    for checksum, members in groups.items():
        rows = [("TBSA", "target", "pairs", "left out", "start", "report")]
        rows += [
            (
                said.tbsa_text(member.tbsa) + "*" * report.is_partial,
                report.target_name or report.target_type or "unknown",
                str(member.contributing),
                str(len(member.left_out)),
                (report.start_time or "unknown")[:16],
                below(report.source, folder),
            )
            for member in members
            for report in [member.report]
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
    for report in (member.report for member in assessments):
        if report.not_covered is not None:
            lines.append(f"⚠️ {below(report.source, folder)}: {report.not_covered}")
    return [*lines, said.DISCLAIMER]


def below(path: str, folder: str) -> str:
    """Return a path without the folder that it is below; others are as they are."""
    start = folder if folder.endswith("/") else f"{folder}/"
    if folder and path.startswith(start):
        return path[len(start) :]
    # a store may write the address of a folder otherwise than its user did
    name = folder.rstrip("/").rpartition("/")[2]
    _, found, rest = path.partition(f"/{name}/") if "://" in path else ("", "", "")
    return rest if found and name else path
