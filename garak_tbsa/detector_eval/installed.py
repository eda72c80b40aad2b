# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""New metrics put into a file that has others: garak's, and back, or a checkout's.

garak reads one file: the user's, else its own. A file of ours alone would hide garak's
metrics of every other detector, so ours are merged with what garak would read without
them, and a record beside the file keeps what was there before the first time. What is
said of how the metrics were made stays true: ``metadata`` is that of the new ones, and
``metadata.kept_from`` has it for the others, by detector.

Nothing here writes a file: the command does.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs

from garak_tbsa.detector_eval.intervals import IntervalOptions, youden_interval
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, parse_summary
from garak_tbsa.errors import InstallError, reason_of

LEAST_OF_A_LABEL = 20
"""Rows of each label without which a rate is hardly known."""

LEAST_INFORMATIVE = 0.2
"""Sensitivity + specificity - 1, by which garak divides."""

DRAWS = IntervalOptions(replicates=100_000)
"""Of the interval that is held against it: seeded, so the same every time."""

SHIPPED_REFUSED = (
    "--install: these rows come with garak-tbsa and are of no target of yours; on"
    " public scans garak's correction by their metrics had a larger error than none"
    " (.114 against .087); label outputs of your own scan (`garak-tbsa detectors"
    " sample`), or add --shipped"
)
UNUSABLE = "has no sensitivity or no specificity"
"""Why an entry is refused even with ``--force``: garak could not use it at all."""

RECORD_NAME = "installed_by_garak_tbsa.json"
"""Beside garak's file, which it reads by its exact name."""

ABOUT_ALL = ("num_detectors_evaluated", "errors", "kept", "kept_from")
"""Of a summary's metadata, what does not say how its metrics were made."""

ROWS = "metrics_rows"


@dataclass(frozen=True, kw_only=True, slots=True)
class MergedSummary:
    """Two summaries in one document.

    Attributes
    ----------
    document : mapping
        JSON-ready.
    new, replaced, unchanged : tuple of str
        Detectors that the file had no metrics of, had others of, and has as before.
    """

    document: Mapping[str, Any]
    new: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]

    def lines(self, base: str) -> Iterator[str]:
        """Say which is which, for a terminal.

        Parameters
        ----------
        base : str
            Whose metrics the unchanged ones are, in words.
        """
        for what, names in (
            ("new", self.new),
            ("replaced", self.replaced),
            (f"kept from {base}", self.unchanged),
        ):
            if names:
                yield f"  {what}: {', '.join(names)}"


def merged_summary(
    ours: Mapping[str, Any], base: Mapping[str, Any], taken: Collection[str]
) -> MergedSummary:
    """Put entries of a summary into another.

    Parameters
    ----------
    ours : mapping
        A summary document.
    base : mapping
        The document that they are put into, with an object ``results``.
    taken : collection of str
        Which of our detectors are put there; the others stay as they are.
    """
    before = base["results"]
    results = {**before, **{name: ours["results"][name] for name in taken}}
    unchanged = sorted(set(before) - set(taken))
    origins = _origins(_mapping(base.get("metadata")), unchanged)
    metadata = {**ours["metadata"], "num_detectors_evaluated": len(results)}
    if any(origin.get(ROWS) != metadata.get(ROWS) for origin in origins):
        # it is said of all metrics of a file
        metadata.pop(ROWS, None)
    # why others have no metrics, by the newest attempt at each
    errors = {
        str(_mapping(entry).get("detector")): entry
        for document in (base, ours)
        for entry in _list(_mapping(document.get("metadata")).get("errors"))
    }
    metadata |= {
        "errors": [errors[name] for name in sorted(errors) if name not in results],
        "kept": unchanged,
        "kept_from": origins,
    }
    return MergedSummary(
        document={"results": dict(sorted(results.items())), "metadata": metadata},
        new=tuple(sorted(set(taken) - set(before))),
        replaced=tuple(sorted(set(taken) & set(before))),
        unchanged=tuple(unchanged),
    )


def _origins(metadata: Mapping[str, Any], unchanged: list[str]) -> list[dict[str, Any]]:
    """How the unchanged metrics were made, with the detectors that it is said of."""
    origins: list[dict[str, Any]] = []
    others = unchanged
    for origin in map(_mapping, _list(metadata.get("kept_from"))):
        named = _list(origin.get("detectors"))
        still = [name for name in unchanged if name in named]
        if still:
            origins.append({**origin, "detectors": still})
        others = [name for name in others if name not in named]
    if others:
        made = {name: v for name, v in metadata.items() if name not in ABOUT_ALL}
        origins.append({"detectors": others, **made})
    return origins


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def plan_installation(
    ours: Mapping[str, Any], base: Mapping[str, Any] | None, *, force: bool = False
) -> tuple[MergedSummary, dict[str, str]]:
    """Merge a summary with what garak would read without it.

    Parameters
    ----------
    ours : mapping
        A summary document.
    base : mapping or None
        The document that garak reads now; None where there is none.
    force : bool
        Take entries that garak can use but should not.

    Returns
    -------
    MergedSummary, dict
        What garak will read, and detectors of ``ours`` that are not in it, each with
        the reason.
    """
    before = {"results": {}} if base is None else base
    if not isinstance(before.get("results"), dict):
        raise InstallError(
            "the metrics that garak reads now have no object `results`; move that file"
            " away, then install again"
        )
    measured = parse_summary(ours, "the summary").measured
    refused = {
        name: reason
        for name, entry in measured.items()
        if (reason := refusal(entry)) is not None
        if reason == UNUSABLE or not force
    }
    taken = [name for name in measured if name not in refused]
    return merged_summary(ours, before, taken), refused


def refusal(measured: MeasuredDetector) -> str | None:
    """Why garak should not correct with a detector's metrics; None where it may.

    The interval of sensitivity + specificity - 1 is the Jeffreys interval, drawn with
    a fixed seed. The reason follows the detector's name.
    """
    counts = measured.counts or measured.drawn
    if counts is None or measured.sensitivity is None or measured.specificity is None:
        return UNUSABLE
    if min(counts.hits, counts.passes) < LEAST_OF_A_LABEL:
        return (
            f"was measured on {counts.hits} hits and {counts.passes} passes, at least"
            f" {LEAST_OF_A_LABEL} of each needed"
        )
    interval = measured.youden or youden_interval(counts, measured.detector, DRAWS)
    if interval.lower <= LEAST_INFORMATIVE:
        return (
            f"has a sensitivity + specificity - 1 of {interval.lower:.2f} to"
            f" {interval.upper:.2f}, more than {LEAST_INFORMATIVE} needed"
        )
    return None


def refusal_text(refused: Mapping[str, str]) -> str:
    """One line that says what was not installed, and what helps."""
    named = "; ".join(f"{name} {reason}" for name, reason in refused.items())
    helps = "" if set(refused.values()) == {UNUSABLE} else ", or --force"
    return f"--install: {len(refused)} not installed, label more rows{helps}: {named}"


class Installed(Struct, frozen=True, kw_only=True):
    """Metrics that were given to garak at once.

    Attributes
    ----------
    date : str
        When they were measured, ISO 8601.
    source : str
        By what, in words: ``150 labels of outputs of openai gpt-4o``.
    detectors : tuple of str
        Sorted.
    """

    date: str
    source: str
    detectors: tuple[str, ...]


class InstallRecord(Struct, frozen=True, kw_only=True):
    """What an uninstallation needs to know, and what there is to say until then.

    Attributes
    ----------
    before : bytes or None
        The user's file before the first installation; None where there was none.
    installed_sha256 : tuple of str
        sha256 of each file that was installed since; a kill may leave any of them.
    installed : tuple of Installed
        What was installed since, the last first; each detector once. Records before
        0.2.0 have none.
    """

    format_version: Literal[1] = 1
    about: str = "what `garak-tbsa detectors uninstall` restores"
    before: bytes | None
    installed_sha256: tuple[str, ...]
    installed: tuple[Installed, ...] = ()

    def restored(self, now: bytes | None, path: str, *, force: bool) -> bytes | None:
        """What was at ``path`` before the first installation; None where nothing was.

        Raises
        ------
        InstallError
            Somebody else has changed the file since.
        """
        known = now in (None, self.before) or _sha256(now) in self.installed_sha256
        if not known and not force:
            raise InstallError(
                f"{path}: has changed since garak-tbsa installed it; --force restores"
                " the earlier file and loses the change"
            )
        return self.before


def record_of(
    content: bytes,
    now: bytes | None,
    earlier: InstallRecord | None,
    installed: Installed,
) -> InstallRecord:
    """The record to write before ``content`` takes the place of ``now``."""
    known = earlier or InstallRecord(before=now, installed_sha256=())
    sha256 = dict.fromkeys((*known.installed_sha256, _sha256(content)))
    still = (
        structs.replace(
            each,
            detectors=tuple(sorted({*each.detectors} - {*installed.detectors})),
        )
        for each in known.installed
    )
    return InstallRecord(
        before=known.before,
        installed_sha256=tuple(sha256),
        installed=(installed, *(each for each in still if each.detectors)),
    )


def record_text(record: InstallRecord) -> bytes:
    """A record as its file has it."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def record_path(users: str) -> str:
    """Return where that is which restores the user's file."""
    return os.path.join(os.path.dirname(users), RECORD_NAME)


def record_beside(users: str) -> InstallRecord | None:
    """Read the record beside the user's metrics; None where nothing was installed.

    Raises
    ------
    InstallError
        It cannot be read, is none, or is of a later version.
    """
    path = record_path(users)
    content = content_of(path)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=InstallRecord)
    except (ValueError, RecursionError):
        raise InstallError(
            f"{path}: not a record that this garak-tbsa can read, so the earlier"
            " metrics are not known; remove it and the metrics beside it to use"
            " garak's own"
        ) from None


def content_of(path: str) -> bytes | None:
    """Read a file; None where there is none.

    Raises
    ------
    InstallError
        It cannot be read.
    """
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InstallError(
            f"{path}: cannot be read ({reason_of(error)}); make it readable first"
        ) from None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
