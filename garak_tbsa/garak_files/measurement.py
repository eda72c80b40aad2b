# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One probe and detector as a report states them, from its digest or an eval row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import Record

PAIR_SEPARATOR = "+"
SUMMARY = "_summary"
COUNT_LIMIT = 400_000_000
"""No scan has more outputs."""

MOST_PAIRS = 5_000
"""Results of one report; garak 0.17 has 600 pairs of probe and detector."""

NAME_LENGTH_LIMIT = 512
Name = Annotated[str, Meta(pattern=r"\S", max_length=NAME_LENGTH_LIMIT)]
Count = Annotated[int, Meta(ge=0, le=COUNT_LIMIT)]
Share = Annotated[float, Meta(ge=0, le=1)]
Finite = Annotated[float, Meta(ge=-1.7e308, le=1.7e308)]
Grade = Annotated[int, Meta(ge=1, le=5)]

NAMES = {
    "probe": ("probe",),
    "detector": ("detector_name", "detector"),
    "passed": ("passed",),
    "total_evaluated": ("total_evaluated", "total"),
    "nones": ("nones",),
    "fails": ("fails",),
    "processed": ("total_processed",),
    "pass_rate": ("absolute_score",),
    "z_score": ("relative_score", "zscore"),
    "pass_rate_grade": ("absolute_defcon",),
    "z_grade": ("relative_defcon", "zscore_defcon"),
    "pass_rate_comment": ("absolute_comment",),
    "z_comment": ("relative_comment", "zscore_comment"),
}
"""What garak's releases call a value in a digest entry or an eval row, newest first."""

EXPECTED = {
    "pass_rate": "a number from 0 to 1",
    "z_score": 'a finite number or "n/a"',
    **dict.fromkeys(("pass_rate_grade", "z_grade"), "a DEFCON grade from 1 to 5"),
    **dict.fromkeys(
        ("probe", "detector"), f"a name of at most {NAME_LENGTH_LIMIT} characters"
    ),
    **dict.fromkeys(
        ("passed", "total_evaluated", "nones", "fails", "processed"),
        f"a whole number of at least 0 and at most {COUNT_LIMIT:,}",
    ),
}
"""What each value has to be, in words."""


class GarakWording(Struct, frozen=True, kw_only=True):
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


class Measurement(Struct, frozen=True, kw_only=True):
    """What one entry of a report says of a pair.

    Attributes
    ----------
    probe, detector : str
        Without their category: ``dan.DanInTheWild``, ``dan.DAN``.
    passed, total_evaluated, nones : int or None
        Counts of outputs; None where the entry does not have them.
    fails, processed : int or None
        What the others give, as the entry states it; garak says so from 0.14 on.
    pass_rate : float or None
        0.0-1.0 as stated by a digest; None in an eval row, which has counts.
    z_score : float or None
        None where the pair is uncalibrated or the entry has none.
    pass_rate_grade, z_grade : int or None
        DEFCON 1-5 as garak stated them.
    tier : int or None
        1, 2, 3 or 9; None where the entry does not say.
    wording : GarakWording or None
        None in an eval row, and in a digest without such words.
    where : str
        Its place, for messages.
    """

    probe: Name
    detector: Name
    passed: Count | None = None
    total_evaluated: Count | None = None
    nones: Count | None = None
    fails: Count | None = None
    processed: Count | None = None
    pass_rate: Share | None = None
    z_score: Finite | None = None
    pass_rate_grade: Grade | None = None
    z_grade: Grade | None = None
    tier: int | None = None
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

    def wrong_sums(self) -> Iterator[str]:
        """Say which of its counts do not add up, in words."""
        for parts, whole in (
            (("passed", "fails"), "total_evaluated"),
            (("total_evaluated", "nones"), "processed"),
        ):
            counts = [getattr(self, part) for part in parts]
            stated = getattr(self, whole)
            if None not in (*counts, stated) and sum(counts) != stated:
                terms = " and ".join(
                    f"{count} {part}" for count, part in zip(counts, parts, strict=True)
                )
                problem = f"{terms} are not {stated} {whole} at {self.where}"
                yield f"{self.pair_name}: {problem}"


def bare_probe(name: str) -> str:
    """Return a probe's name without ``probes.``, which garak 0.9 writes."""
    return name.removeprefix("probes.")


def bare_detector(name: str) -> str:
    """Return a detector's name without ``detector.`` or ``detectors.``."""
    return name.removeprefix("detector.").removeprefix("detectors.")


BARE = {"probe": bare_probe, "detector": bare_detector}
TYPES = get_type_hints(Measurement, include_extras=True)


def digest_measurements(digest: Record) -> tuple[Measurement, ...]:
    """Return a digest's entries, in its order.

    A probe that a taxonomy puts in several groups comes several times.

    Raises
    ------
    ReportError
        A level of ``digest.eval`` is not what garak writes, or there are more than
        :data:`MOST_PAIRS` entries.
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
            probe = group.child(probe_name)
            tier = probe.child(SUMMARY, optional=True).tier("probe_tier")
            for detector_name in probe.values:
                if detector_name != SUMMARY:
                    entry = probe.child(detector_name)
                    found = _measurement(
                        entry,
                        probe=probe_name,
                        detector=detector_name,
                        tier=tier,
                        wording=_wording(entry),
                        where=entry.path,
                    )
                    if found.pass_rate is None and not found.has_counts:
                        name = _name_in(entry, "pass_rate")
                        entry.fail(name, EXPECTED["pass_rate"], None)
                    yield found


def eval_measurement(row: Record) -> Measurement:
    """Read one eval row, of any garak version.

    Raises
    ------
    ReportError
        Names or counts are missing or of the wrong type.
    """
    found = _measurement(row, where=f"line {row.line}")
    for kind in ("passed", "total_evaluated"):
        if getattr(found, kind) is None:
            row.fail(_name_in(row, kind), EXPECTED[kind], None)
    return found


def _measurement(entry: Record, **known: Any) -> Measurement:
    """Make a measurement of an entry, whatever the garak that named its values."""
    for kind, expected in EXPECTED.items():
        name = _name_in(entry, kind)
        value = entry.values.get(name)
        if value is None:
            value = known.get(kind)
        if isinstance(value, str) and kind in BARE:
            value = BARE[kind](value)
        if (kind, value) == ("z_score", "n/a"):
            value = None
        try:
            known[kind] = convert(value, TYPES[kind])
        except (ValidationError, UnicodeEncodeError):
            entry.fail(name, expected, value)
    found = Measurement(**known)
    passed, total = found.passed, found.total_evaluated
    if found.nones is None and None not in (total, found.processed):
        # what is left of all outputs; below zero, the sums are wrong
        left = max(0, (found.processed or 0) - (total or 0))
        found = replace(found, nones=left)
    if passed is not None and total is not None and passed > total:
        entry.fail("passed", f"at most the {total} outputs evaluated", passed)
    return found


def _wording(entry: Record) -> GarakWording | None:
    """Take garak's words; they are only shown, so odd ones are no reason to fail."""
    if "detector_defcon" not in entry.values:
        return None
    defcon = entry.values["detector_defcon"]
    comments = {
        kind: text if isinstance(text, str) and text.strip() else None
        for kind in ("pass_rate_comment", "z_comment")
        for text in [entry.values.get(_name_in(entry, kind))]
    }
    is_grade = type(defcon) is int and 1 <= defcon <= 5
    return GarakWording(defcon=defcon if is_grade else None, **comments)


def _name_in(entry: Record, kind: str) -> str:
    """What an entry calls a value, by whichever garak wrote it."""
    names = NAMES[kind]
    return next((name for name in names if name in entry.values), names[0])
