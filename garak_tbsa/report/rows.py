# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a report of any garak release, its attempts aside: JSON to typed values.

Whether they and the digest agree is said here too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from garak_tbsa.errors import ReportError
from garak_tbsa.report.settings import (
    DEFAULT_THRESHOLD,
    ScanSettings,
    bare_name,
    differing_settings,
    first_text,
    parse_settings,
)
from garak_tbsa.safe_text import shown

T = TypeVar("T")

DAMAGED = "the report is damaged, or not written by garak: scan again or repair it"
NOT_A_REPORT = "give a garak report, <prefix>.report.jsonl"
SETUP_KINDS = ("start_run setup", "config")
"""Of the row with a scan's setup; garak 0.9 calls it ``config``."""

NO_Z_SCORE, Z_SCORES = "n/a", ("relative_score", "zscore")
PAIR_SEPARATOR = "+"
SUMMARY = "_summary"
MOST_PAIRS = 5_000
"""Results of one report; garak 0.17 has 600 pairs of probe and detector."""

MOST_RUNS, RUN_LENGTH, SHOWN_PATH = 10, 40, 200
NAME_LENGTH_LIMIT = 512
Name = Annotated[str, Meta(pattern=r"\S", max_length=NAME_LENGTH_LIMIT)]
Count = Annotated[int, Meta(ge=0, le=400_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]
Finite = Annotated[float, Meta(ge=-1.7e308, le=1.7e308)]
Grade = Annotated[int, Meta(ge=1, le=5)]
Tier = Literal[1, 2, 3, 9]

OLDER_NAMES = {
    "detector_name": "detector",
    "total": "total_evaluated",
    "zscore": "relative_score",
    "zscore_defcon": "relative_defcon",
    "zscore_comment": "relative_comment",
}
"""What garak's releases called a value of an entry, and what they call it now."""

IN_WORDS = {
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "a text",
    "`object`": "an object",
    "`array`": "a list",
    "`null`": "nothing",
    ", got ": ", found ",
    "Invalid enum value": "expected a tier of 1, 2, 3 or 9, found",
}
NAMED = f"expected a name of at most {NAME_LENGTH_LIMIT} characters"


def parse_json(line: bytes) -> object:
    """Parse one JSON text.

    Bytes that are no UTF-8 become U+FFFD, as text from a model may hold them.

    Raises
    ------
    ValueError
        It is not JSON, or nested deeper than the parser goes.
    """
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the object that a JSON text is, empty where it is none."""
    try:
        value = parse_json(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _or_empty(value: object) -> object:
    """What garak leaves out or writes as null is an object without members."""
    return {} if value is None else value


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a value stands: a report, a line of it, a path within that."""

    source: str
    path: str
    line: int | None = None

    def below(self, *keys: str) -> Place:
        """Return the place of a member."""
        path = ".".join((self.path, *keys))
        return Place(source=self.source, path=path, line=self.line)

    def wrong(self, problem: str) -> ReportError:
        """Return the error for what stands there."""
        path = self.path
        if len(path) > SHOWN_PATH:
            path = f"{path[:SHOWN_PATH]}..."
        return ReportError(self.source, f"{path}: {problem}", DAMAGED, line=self.line)

    def checked(
        self, value: object, kind: type[T], names: Mapping[str, str] | None = None
    ) -> T:
        """Return a value as what it has to be.

        Parameters
        ----------
        value : object
        kind : type
        names : mapping of str to str, optional
            What the report calls members that have other names in ``kind``.

        Raises
        ------
        ReportError
            It is something else.
        """
        try:
            return convert(value, kind)
        except UnicodeEncodeError:
            raise self.wrong("expected text, found half a character") from None
        except ValidationError as error:
            found = str(error).replace(" | null", "")
        problem, _, path = found.partition(" - at `$")
        path = path.removesuffix("`")
        for word, text in IN_WORDS.items():
            problem = problem.replace(word, text)
        if path in (".probe", ".detector"):
            problem = NAMED
        stated = value.get(path[1:]) if path and isinstance(value, dict) else value
        if isinstance(stated, (str, int, float)):
            problem = problem.partition(", found")[0]
            problem += f", found {shown(repr(stated), 40)}"
        if names and path:
            path = f".{names.get(path[1:], path[1:])}"
        raise Place(source=self.source, path=self.path + path, line=self.line).wrong(
            problem[0].lower() + problem[1:]
        )


class GarakWording(
    Struct,
    frozen=True,
    kw_only=True,
    rename={
        "defcon": "detector_defcon",
        "pass_rate_comment": "absolute_comment",
        "z_comment": "relative_comment",
    },
):
    """What garak's own page says of a pair, in its words.

    Attributes
    ----------
    defcon : int or None
        1-5; None where garak gives the pair none.
    pass_rate_comment, z_comment : str or None
        Its words for the two grades, such as "elevated risk".
    """

    defcon: Grade | None = None
    pass_rate_comment: str | None = None
    z_comment: str | None = None


class Measurement(
    Struct,
    frozen=True,
    kw_only=True,
    rename={
        "processed": "total_processed",
        "pass_rate": "absolute_score",
        "z_score": "relative_score",
        "pass_rate_grade": "absolute_defcon",
        "z_grade": "relative_defcon",
    },
):
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
        for one, other, whole in (
            ("passed", "fails", "total_evaluated"),
            ("total_evaluated", "nones", "processed"),
        ):
            part, rest, stated = (getattr(self, name) for name in (one, other, whole))
            if None not in (part, rest, stated) and part + rest != stated:
                yield (
                    f"{self.pair_name}: {part} {one} and {rest} {other} are not"
                    f" {stated} {whole} at {self.where}"
                )


def measured(
    entry: Mapping[str, Any],
    place: Place,
    *,
    probe: str | None = None,
    detector: str | None = None,
    tier: int | None = None,
) -> Measurement:
    """Read an entry of a digest, or an eval row, whatever the garak that wrote it.

    Parameters
    ----------
    entry : mapping
    place : Place
    probe, detector : str or None
        Of a digest's entry, which may lack them.
    tier : int or None

    Raises
    ------
    ReportError
        A value is not what it has to be, or there is neither pass rate nor count.
    """
    stated = {
        OLDER_NAMES.get(name, name): value
        for name, value in entry.items()
        if value is not None and not (value == NO_Z_SCORE and name in Z_SCORES)
    }
    values = {"probe": probe, "detector": detector, **stated}
    for name in ("probe", "detector"):
        if isinstance(values[name], str):
            values[name] = bare_name(values[name])
    values |= {"tier": tier, "wording": _wording(entry, stated)}
    values["where"] = place.path if place.line is None else f"line {place.line}"
    older = {new: old for old, new in OLDER_NAMES.items() if entry.get(old) is not None}
    found = place.checked(values, Measurement, older)
    passed, total = found.passed, found.total_evaluated
    if passed is None or total is None:
        # an eval row has nothing but counts
        if probe is None or found.pass_rate is None:
            missing = "absolute_score" if probe else "passed and total_evaluated"
            raise place.wrong(f"expected numbers as {missing}, found nothing")
        return found
    if passed > total:
        problem = f"expected at most the {total} outputs evaluated, found {passed}"
        raise place.below("passed").wrong(problem)
    if found.nones is None and found.processed is not None:
        # what is left of all outputs; below zero, the sums are wrong
        return replace(found, nones=max(0, found.processed - total))
    return found


class _Probe(Struct):
    """What a digest, or garak's list of plug-ins, says of a probe."""

    tier: Tier | None = None
    probe_tier: Tier | None = None


def _digest_entries(digest: Mapping[str, Any], place: Place) -> Iterator[Measurement]:
    """Yield a digest's entries; a probe of several groups comes several times."""
    groups = place.checked(_or_empty(digest.get("eval")), dict[str, dict[str, Any]])
    for group, probes in groups.items():
        for probe in probes:
            if probe == SUMMARY:
                continue
            at_probe = place.below(group, probe)
            entries = at_probe.checked(probes[probe], dict[str, dict[str, Any] | None])
            summary = at_probe.checked(_or_empty(entries.pop(SUMMARY, None)), _Probe)
            for name, entry in entries.items():
                yield measured(
                    entry or {},
                    at_probe.below(name),
                    probe=probe,
                    detector=name,
                    tier=summary.probe_tier,
                )


def _wording(
    entry: Mapping[str, Any], stated: Mapping[str, Any]
) -> GarakWording | None:
    """Take garak's words; they are only shown, so odd ones are no reason to fail."""
    with suppress(ValidationError):
        return convert(stated, GarakWording) if "detector_defcon" in entry else None
    return GarakWording()


@dataclass(kw_only=True)
class Rows:
    """What the rows of a report hold; rows of other types are passed over.

    Attributes
    ----------
    source : str
        The report's name.
    digest : dict or None
        The last digest row.
    digests : int
        How many there are.
    evals : list of Measurement
    results : int
        How many eval rows there are.
    settings : ScanSettings or None
        From the ``start_run setup`` row (0.9: ``config``).
    init : mapping
        The ``init`` row, empty where there is none.
    tiers : dict of str to int
        Probe to tier, from ``plugin_cache`` rows.
    completed : bool
        Whether there is a ``completion`` row.
    runs : dict of str to (list of str)
        Different ids of scans in setup and ``init`` rows, in order.
    cut_line : int or None
        Number of an incomplete last line.
    broken : list of int
        Numbers of attempts' lines, but for a cut one, that are no JSON.
    problem, attempts_problem : ReportError or None
        Why the rows, or the attempts, cannot be relied on.
    """

    source: str
    digest: dict[str, Any] | None = None
    digests: int = 0
    evals: list[Measurement] = field(default_factory=list)
    results: int = 0
    settings: ScanSettings | None = None
    init: Mapping[str, Any] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)
    completed: bool = False
    runs: dict[str, list[str]] = field(default_factory=dict)
    cut_line: int | None = None
    broken: list[int] = field(default_factory=list)
    problem: ReportError | None = None
    attempts_problem: ReportError | None = None

    def add(self, value: object, line: int) -> None:
        """Take a row.

        Raises
        ------
        ReportError
            It is not what garak writes.
        """
        at_row = Place(source=self.source, path="row", line=line)
        row = at_row.checked(value, dict[str, Any])
        kind = at_row.below("entry_type").checked(row.get("entry_type"), str)
        place = Place(source=self.source, path=kind, line=line)
        if kind == "eval":
            self.results += 1
            if self.results <= MOST_PAIRS:
                self.evals.append(measured(row, place))
        elif kind == "digest":
            self.digest, self.digests = row, self.digests + 1
        elif kind in SETUP_KINDS:
            self.settings = parse_settings(row)
            self._add_run("setup", self.settings.run_uuid)
        elif kind == "init":
            self.init = row
            self._add_run("init", first_text(row.get("run")))
        elif kind == "completion":
            self.completed = True
        elif kind == "plugin_cache":
            plugins = place.checked(_or_empty(row.get(kind)), dict[str, Any])
            probes = plugins.get("probes") or {}
            self.tiers |= {
                bare_name(name): probe.tier
                for name, probe in place.checked(probes, dict[str, _Probe]).items()
                if probe.tier is not None
            }

    def _add_run(self, kind: str, run: str | None) -> None:
        runs = self.runs.setdefault(kind, [])
        name = None if run is None else shown(run, RUN_LENGTH)
        if name is not None and name not in runs and len(runs) < MOST_RUNS:
            runs.append(name)

    def in_digest(self, *keys: str) -> dict[str, Any]:
        """Return an object of the last digest, empty where there is none.

        Raises
        ------
        ReportError
            There is something else in its place.
        """
        place, found = Place(source=self.source, path="digest"), self.digest or {}
        for key in keys:
            place = place.below(key)
            found = place.checked(_or_empty(found.get(key)), dict[str, Any])
        return found

    @cached_property
    def setup(self) -> ScanSettings | None:
        """The setup that the last digest repeats; None where there is none."""
        row = self.in_digest("meta", "setup")
        return parse_settings(row) if row else None

    @property
    def threshold(self) -> float:
        """From which score on an output is a hit, as far as rows said it."""
        return self.settings.eval_threshold if self.settings else DEFAULT_THRESHOLD

    @cached_property
    def stated(self) -> tuple[Measurement, ...]:
        """The last digest's entries; empty where there is none."""
        place = Place(source=self.source, path="digest.eval")
        return tuple(_digest_entries(self.digest or {}, place))

    def require_few(self) -> None:
        """Refuse more results than any scan has."""
        results = max(self.results, len(self.stated))
        if results > MOST_PAIRS:
            raise ReportError(
                self.source,
                f"expected at most {MOST_PAIRS:,} results of pairs, found {results:,}",
                "garak has about 600 pairs; score the reports that it wrote, one by"
                " one",
            )

    def put_together(self) -> list[str]:
        """Return how rows show that scans were put together, always a warning."""
        found = []
        several = next((runs for runs in self.runs.values() if len(runs) > 1), None)
        if several is not None:
            names = ", ".join(several)
            found.append(f"the file holds rows of {len(several)} scans ({names})")
        if self.digests > 1:
            found.append(f"the file holds {self.digests} digests")
        return found

    def broken_lines(self) -> list[str]:
        """Return that attempts are broken within a file, always a warning."""
        if not self.broken:
            return []
        which, is_no = f"line {self.broken[0]}, an attempt,", "is no"
        if len(self.broken) > 1:
            first = self.broken[0]
            which = f"{len(self.broken):,} lines of attempts, first line {first},"
            is_no = "are no"
        return [f"{which} {is_no} JSON: the file is damaged, or was put together"]

    def differing_setups(self) -> list[str]:
        """Return the line that says how two setups differ, always a warning."""
        names: tuple[str, ...] = ()
        if self.setup is not None and self.settings is not None:
            names = differing_settings(self.settings, self.setup)
        return [
            f"the digest's setup differs from the file's setup row in {each};"
            " the digest's was used"
            for each in filter(None, [", ".join(names)])
        ]

    def disagreements(self) -> Iterator[str]:
        """Yield what a digest and the rows of its file do not agree on, in words."""
        yield from self.put_together()
        yield from self.differing_setups()
        for entry in (*self.stated, *self.evals):
            yield from entry.wrong_sums()
        if not self.stated:
            return
        if self.evals:
            yield from self._differing_pairs()
        else:
            yield "the file has no eval rows to check its digest with"
        for probe, tier in sorted(
            {each.probe: each.tier for each in self.stated}.items()
        ):
            if None not in (tier, self.tiers.get(probe)) and tier != self.tiers[probe]:
                yield (
                    f"{probe}: Tier {tier} in the digest, Tier {self.tiers[probe]} in"
                    " its plugin_cache row"
                )

    def _differing_pairs(self) -> Iterator[str]:
        rows = {entry.pair_name for entry in self.evals}
        in_digest = {entry.pair_name: entry for entry in self.stated}
        for name in sorted(rows - in_digest.keys()):
            yield f"{name}: has an eval row but is not in the digest"
        for name in sorted(in_digest.keys() - rows):
            yield f"{name}: is in the digest but has no eval row"
        for row in self.evals:
            entry = in_digest.get(row.pair_name)
            # up to 0.13.3 a digest has no counts, and nothing to disagree with
            if entry is None or not entry.has_counts:
                continue
            one, other = (
                f"{each.passed} of {each.total_evaluated} passed"
                for each in (entry, row)
            )
            if one == other and None not in (entry.nones, row.nones):
                one, other = (f"{each.nones} nones" for each in (entry, row))
            if one != other:
                del in_digest[row.pair_name]
                yield (
                    f"{row.pair_name}: {one} in the digest, {other} in its eval row at"
                    f" {row.where}"
                )


def not_json(source: str, number: int, line: bytes, error: ValueError) -> ReportError:
    """Return the error for a line that is no JSON, which says what it may be."""
    problem = f"expected a JSON object, found no JSON ({str(error).splitlines()[0]})"
    advice = NOT_A_REPORT
    start = line[:200].lstrip().lower()
    if start.startswith(b"version https://git-lfs"):
        problem = "is a Git LFS pointer, not the report itself"
        advice = "fetch it with: git lfs pull"
    elif start.startswith(b"<"):
        problem = "is a web page or XML, expected JSON Lines"
        advice = "give the .report.jsonl beside garak's .report.html"
    elif start.startswith((b"\xff\xfe", b"\xfe\xff")):
        problem = "expected a JSON object, found UTF-16, as PowerShell's > writes it"
        advice = "write it with -Encoding utf8"
    return ReportError(source, problem, advice, line=number)
