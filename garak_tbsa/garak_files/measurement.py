# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One probe and detector as a report states them, from its digest or an eval row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import (
    COUNT,
    GRADE,
    NAME_LENGTH_LIMIT,
    SHARE,
    TIER,
    Z_SCORE,
    Expected,
    Record,
)
from garak_tbsa.garak_files.limits import MOST_PAIRS

PAIR_SEPARATOR = "+"
SUMMARY = "_summary"
COUNT_LIMIT = 400_000_000
"""No scan has more outputs."""


Values = Mapping[str, Any]

NAMES = {
    "passed": ("passed",),
    "total_evaluated": ("total_evaluated", "total"),
    "nones": ("nones",),
    "pass_rate": ("absolute_score",),
    "z_score": ("relative_score", "zscore"),
    "pass_rate_grade": ("absolute_defcon",),
    "z_grade": ("relative_defcon", "zscore_defcon"),
    "pass_rate_comment": ("absolute_comment",),
    "z_comment": ("relative_comment", "zscore_comment"),
}
"""What garak's releases call a value in a digest entry or an eval row, newest first."""

COUNTS = {"passed": COUNT, "total_evaluated": COUNT, "nones": COUNT}
GRADED = {
    "pass_rate": SHARE,
    "z_score": Z_SCORE,
    "pass_rate_grade": GRADE,
    "z_grade": GRADE,
}
"""What a digest entry has besides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GarakWording:
    """What garak's own page says of a pair, in its words.

    Attributes
    ----------
    defcon : int or None
        1-5; None where garak gives the pair none.
    pass_rate_comment, z_comment : str or None
        Its words for the two grades, such as "elevated risk"; any text.
    """

    defcon: int | None
    pass_rate_comment: str | None
    z_comment: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """What one entry of a report says of a pair.

    Attributes
    ----------
    probe, detector : str
        Without their category: ``dan.DanInTheWild``, ``dan.DAN``.
    passed, total_evaluated, nones : int or None
        Counts of outputs; None where the entry does not have them.
    pass_rate : float or None
        0.0-1.0 as stated by a digest; None in an eval row, which has counts.
    z_score : float or None
        None where the pair is uncalibrated or the entry has none.
    pass_rate_grade, z_grade : int or None
        DEFCON 1-5 as garak stated them.
    tier : int or None
        1, 2, 3 or 9; None where the entry does not say.
    uses_zscore_names : bool
        Whether the digest is of the dialect before 0.13.1, whose numbers are
        called ``zscore`` and ``zscore_defcon``.
    wording : GarakWording or None
        None in an eval row, and in a digest without such words.
    where : str
        Its place, for messages.
    """

    probe: str
    detector: str
    passed: int | None
    total_evaluated: int | None
    nones: int | None = None
    pass_rate: float | None = None
    z_score: float | None = None
    pass_rate_grade: int | None = None
    z_grade: int | None = None
    tier: int | None = None
    uses_zscore_names: bool = False
    wording: GarakWording | None = None
    where: str

    @property
    def pair_name(self) -> str:
        """``probe+detector``, as in garak's version/probe hash."""
        return f"{self.probe}{PAIR_SEPARATOR}{self.detector}"

    @property
    def has_counts(self) -> bool:
        """Whether the entry says how many outputs were evaluated and passed."""
        return self.passed is not None and self.total_evaluated is not None


def bare_probe(name: str) -> str:
    """Return a probe's name without ``probes.``, which garak 0.9 writes."""
    return name.removeprefix("probes.")


def bare_detector(name: str) -> str:
    """Return a detector's name without ``detector.`` or ``detectors.``."""
    return name.removeprefix("detector.").removeprefix("detectors.")


def digest_measurements(digest: Record) -> tuple[Measurement, ...]:
    """Return a digest's entries, in its order.

    A probe that a taxonomy puts in several groups comes several times.

    Raises
    ------
    ReportError
        A level of ``digest.eval`` is not what garak writes, or there are more than
        :data:`~garak_tbsa.garak_files.limits.MOST_PAIRS` entries.
    """
    entries = _digest_entries(digest)
    found = tuple(islice(entries, MOST_PAIRS))
    check_number(len(found) + sum(1 for _ in entries), digest.source)
    return found


def check_number(results: int, source: str) -> None:
    """Raise the error for more results than any scan has."""
    if results > MOST_PAIRS:
        raise ReportError(
            source,
            f"expected at most {MOST_PAIRS:,} results of pairs, found {results:,}",
            "garak has about 600 pairs; score the reports that it wrote, one by one",
        )


def _digest_entries(digest: Record) -> Iterator[Measurement]:
    groups = digest.child("eval", optional=True)
    for group in map(groups.child, groups.values):
        for probe_name in group.values:
            if probe_name == SUMMARY:
                continue
            _check_name(group, probe_name)
            probe = group.child(probe_name)
            tier = probe.child(SUMMARY, optional=True).optional("probe_tier", TIER)
            for detector_name in probe.values:
                if detector_name != SUMMARY:
                    _check_name(probe, detector_name)
                    entry = probe.child(detector_name)
                    yield _digest_entry(entry, probe_name, detector_name, tier)


def _check_name(record: Record, name: str) -> None:
    if len(name) > NAME_LENGTH_LIMIT:
        record.fail("", f"names of at most {NAME_LENGTH_LIMIT} characters", name)


def _digest_entry(
    entry: Record, probe_name: str, detector_name: str, tier: int | None
) -> Measurement:
    if "detector_name" in entry.values:
        detector_name = entry.name("detector_name")
    measurement = Measurement(
        probe=bare_probe(probe_name),
        detector=bare_detector(detector_name),
        tier=tier,
        uses_zscore_names="zscore" in entry.values,
        wording=_wording(entry.values),
        where=entry.path,
        **_numbers(entry, COUNTS | GRADED),
    )
    if measurement.pass_rate is None and not measurement.has_counts:
        entry.fail(_name_in(entry.values, "pass_rate"), SHARE.words, None)
    return measurement


def _wording(entry: Values) -> GarakWording | None:
    """Take garak's words; they are only shown, so odd ones are no reason to fail."""
    if "detector_defcon" not in entry:
        return None
    defcon = entry["detector_defcon"]
    return GarakWording(
        defcon=defcon if type(defcon) is int and 1 <= defcon <= 5 else None,
        pass_rate_comment=_comment(entry, "pass_rate_comment"),
        z_comment=_comment(entry, "z_comment"),
    )


def _comment(entry: Values, kind: str) -> str | None:
    text = entry.get(_name_in(entry, kind))
    return text if isinstance(text, str) and text.strip() else None


def eval_measurement(row: Record) -> Measurement:
    """Read one eval row, of any garak version.

    Raises
    ------
    ReportError
        Names or counts are missing or of the wrong type.
    """
    names = {kind: row.name(kind) for kind in ("probe", "detector")}
    counts = _numbers(row, COUNTS)
    for value in ("passed", "total_evaluated"):
        if counts[value] is None:
            row.fail(_name_in(row.values, value), COUNT.words, None)
    return Measurement(
        probe=bare_probe(names["probe"]),
        detector=bare_detector(names["detector"]),
        where=f"line {row.line}",
        **counts,
    )


def _numbers(entry: Record, expected: Mapping[str, Expected]) -> dict[str, Any]:
    found = {
        value: entry.optional(_name_in(entry.values, value), each)
        for value, each in expected.items()
    }
    for value in COUNTS:
        if (found[value] or 0) > COUNT_LIMIT:
            name, most = _name_in(entry.values, value), f"at most {COUNT_LIMIT}"
            entry.fail(name, f"a whole number of {most}", found[value])
    passed, total = found["passed"], found["total_evaluated"]
    if passed is not None and total is not None and passed > total:
        entry.fail("passed", f"at most the {total} outputs evaluated", passed)
    return found


def _name_in(entry: Values, value: str) -> str:
    """What an entry calls a value, by whichever garak wrote it."""
    names = NAMES[value]
    return next((name for name in names if name in entry), names[0])
