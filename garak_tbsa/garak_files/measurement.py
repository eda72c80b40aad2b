# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One probe and detector as a report states them, from its digest or an eval row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from garak_tbsa.garak_files.fields import NAME_LENGTH_LIMIT, Record
from garak_tbsa.garak_files.limits import MOST_PAIRS

PAIR_SEPARATOR = "+"

NAMES = {
    "passed": ("passed",),
    "total_evaluated": ("total_evaluated", "total"),
    "nones": ("nones",),
    "pass_rate": ("absolute_score",),
    "z_score": ("relative_score", "zscore"),
    "pass_rate_grade": ("absolute_defcon",),
    "z_grade": ("relative_defcon", "zscore_defcon"),
}
"""What garak's releases call a value in a digest entry or an eval row, newest first."""


COMMENTS = {
    "pass_rate_comment": ("absolute_comment",),
    "z_comment": ("relative_comment", "zscore_comment"),
}
"""What garak's releases call their words for a grade."""


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
    entries: list[Measurement] = []
    for entry in _digest_entries(digest):
        entries.append(entry)
        check_number(entries, digest)
    return tuple(entries)


def check_number(entries: list[Measurement], row: Record) -> None:
    """Raise the error for more results than any scan has, at the row that tells."""
    if len(entries) > MOST_PAIRS:
        row.fail("", f"at most {MOST_PAIRS:,} results in a report", "more")


def _digest_entries(digest: Record) -> Iterator[Measurement]:
    groups = digest.child_or_empty("eval")
    for group_name in groups.values:
        group = groups.child(group_name)
        for probe_name in group.values:
            if probe_name == "_summary":
                continue
            _check_name(group, probe_name)
            probe = group.child(probe_name)
            summary = probe.child_or_empty("_summary")
            tier = summary.optional_tier("probe_tier")
            for detector_name in probe.values:
                if detector_name != "_summary":
                    _check_name(probe, detector_name)
                    yield _digest_entry(
                        probe.child(detector_name), probe_name, detector_name, tier
                    )


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
        passed=entry.optional_count(_name_in(entry, "passed")),
        total_evaluated=entry.optional_count(_name_in(entry, "total_evaluated")),
        pass_rate=entry.optional_share(_name_in(entry, "pass_rate")),
        z_score=entry.optional_z_score(_name_in(entry, "z_score")),
        pass_rate_grade=entry.optional_grade(_name_in(entry, "pass_rate_grade")),
        z_grade=entry.optional_grade(_name_in(entry, "z_grade")),
        tier=tier,
        uses_zscore_names="zscore" in entry.values,
        wording=_wording(entry),
        where=entry.path,
    )
    _check_counts(entry, measurement)
    if measurement.pass_rate is None and not measurement.has_counts:
        entry.fail(_name_in(entry, "pass_rate"), "a number from 0 to 1", None)
    return measurement


def _wording(entry: Record) -> GarakWording | None:
    """Take garak's words; they are only shown, so odd ones are no reason to fail."""
    if "detector_defcon" not in entry.values:
        return None
    defcon = entry.values["detector_defcon"]
    return GarakWording(
        defcon=defcon if type(defcon) is int and 1 <= defcon <= 5 else None,
        pass_rate_comment=_comment(entry, "pass_rate_comment"),
        z_comment=_comment(entry, "z_comment"),
    )


def _comment(entry: Record, kind: str) -> str | None:
    found = (entry.values.get(name) for name in COMMENTS[kind])
    return next((text for text in found if type(text) is str and text.strip()), None)


def eval_measurement(row: Record) -> Measurement:
    """Read one eval row, of any garak version.

    Raises
    ------
    ReportError
        Names or counts are missing or of the wrong type.
    """
    passed_name, total_name = (
        _name_in(row, "passed"),
        _name_in(row, "total_evaluated"),
    )
    measurement = Measurement(
        probe=bare_probe(row.name("probe")),
        detector=bare_detector(row.name("detector")),
        passed=row.optional_count(passed_name),
        total_evaluated=row.optional_count(total_name),
        nones=row.optional_count(_name_in(row, "nones")),
        where=f"line {row.line}",
    )
    if measurement.passed is None:
        row.fail(passed_name, "a whole number of at least 0", None)
    if measurement.total_evaluated is None:
        row.fail(total_name, "a whole number of at least 0", None)
    _check_counts(row, measurement)
    return measurement


def _name_in(entry: Record, value: str) -> str:
    """What an entry calls a value, by whichever garak wrote it."""
    names = NAMES[value]
    return next((name for name in names if name in entry.values), names[0])


def _check_counts(entry: Record, measurement: Measurement) -> None:
    passed, total = measurement.passed, measurement.total_evaluated
    if passed is not None and total is not None and passed > total:
        entry.fail("passed", f"at most the {total} outputs evaluated", passed)
