# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary -> the metrics that garak corrects its intervals with, and back.

garak reads one file: the user's, else its own. A file of ours alone would hide garak's
metrics of every other detector, so ours are merged with what garak would read without
them, and a record beside the file keeps what was there before the first time.

Nothing here writes a file: the command does.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec

from garak_tbsa.detector_eval.intervals import IntervalOptions, youden_interval
from garak_tbsa.detector_eval.merged import MergedSummary, merged_summary
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

RECORD_NAME = "installed_by_garak_tbsa.json"
"""Beside garak's file, which it reads by its exact name."""

RECORD_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class RefusedEntry:
    """A detector whose metrics garak should not correct with.

    Attributes
    ----------
    reason : str
        Why, in words that follow the detector's name.
    is_final : bool
        Whether ``--force`` does not help: garak could not use the entry at all.
    """

    detector: str
    reason: str
    is_final: bool = False


@dataclass(frozen=True, kw_only=True)
class Installation:
    """What installing a summary makes of the metrics that garak reads.

    Attributes
    ----------
    merged : MergedSummary
        What garak will read.
    refused : tuple of RefusedEntry
        Detectors of the summary that are not in ``merged`` by it.
    """

    merged: MergedSummary
    refused: tuple[RefusedEntry, ...]

    @property
    def installs_any(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.merged.new or self.merged.replaced)


def plan_installation(
    ours: Mapping[str, Any], base: Mapping[str, Any] | None, *, force: bool = False
) -> Installation:
    """Merge a summary with what garak would read without it.

    Parameters
    ----------
    ours : mapping
        A summary document.
    base : mapping or None
        The document that garak reads now; None where there is none.
    force : bool
        Take entries that garak can use but should not.
    """
    before = _results(base)
    measured = parse_summary(dict(ours), "the summary").measured
    refused = [
        entry
        for entry in map(refusal, measured.values())
        if entry is not None and (entry.is_final or not force)
    ]
    taken = sorted(set(measured) - {entry.detector for entry in refused})
    merged = merged_summary(ours, {**(base or {}), "results": before}, taken)
    return Installation(merged=merged, refused=tuple(refused))


def _results(document: Mapping[str, Any] | None) -> Mapping[str, Any]:
    results = {} if document is None else document.get("results")
    if not isinstance(results, dict):
        raise InstallError(
            "the metrics that garak reads now have no object `results`; move that file"
            " away, then install again"
        )
    return results


def refusal(measured: MeasuredDetector) -> RefusedEntry | None:
    """Why garak should not correct with a detector's metrics; None where it may.

    The interval of sensitivity + specificity - 1 is the Jeffreys interval, drawn with
    a fixed seed.
    """
    counts = measured.counts or measured.drawn
    if counts is None or measured.sensitivity is None or measured.specificity is None:
        return RefusedEntry(
            detector=measured.detector,
            reason="has no sensitivity or no specificity",
            is_final=True,
        )
    if min(counts.hits, counts.passes) < LEAST_OF_A_LABEL:
        return RefusedEntry(
            detector=measured.detector,
            reason=f"was measured on {counts.hits} hits and {counts.passes} passes, at"
            f" least {LEAST_OF_A_LABEL} of each needed",
        )
    interval = measured.youden or youden_interval(counts, measured.detector, DRAWS)
    if interval.lower <= LEAST_INFORMATIVE:
        return RefusedEntry(
            detector=measured.detector,
            reason="has a sensitivity + specificity - 1 of"
            f" {interval.lower:.2f} to {interval.upper:.2f}, more than"
            f" {LEAST_INFORMATIVE} needed",
        )
    return None


@dataclass(frozen=True, kw_only=True)
class Installed:
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

    @property
    def text(self) -> str:
        """The same in one line."""
        return f"{', '.join(self.detectors)}: by {self.source}, {self.date[:10]}"


@dataclass(frozen=True, kw_only=True)
class InstallRecord:
    """What an uninstallation needs to know, and what there is to say until then.

    Attributes
    ----------
    before : bytes or None
        The user's file before the first installation; None where there was none.
    installed_sha256 : tuple of str
        sha256 of each file that was installed since; a kill may leave any of them.
    installed : tuple of Installed
        What was installed since, the last first; each detector once.
    """

    before: bytes | None
    installed_sha256: tuple[str, ...]
    installed: tuple[Installed, ...] = ()


def record_of(
    content: bytes,
    now: bytes | None,
    earlier: InstallRecord | None,
    installed: Installed,
) -> InstallRecord:
    """The record to write before ``content`` takes the place of ``now``."""
    if earlier is None:
        return InstallRecord(
            before=now, installed_sha256=(_sha256(content),), installed=(installed,)
        )
    known = [each for each in earlier.installed_sha256 if each != _sha256(content)]
    still = (
        replace(
            each, detectors=tuple(sorted({*each.detectors} - {*installed.detectors}))
        )
        for each in earlier.installed
    )
    return InstallRecord(
        before=earlier.before,
        installed_sha256=(*known, _sha256(content)),
        installed=(installed, *(each for each in still if each.detectors)),
    )


def record_text(record: InstallRecord) -> str:
    """A record as its file has it."""
    before = record.before
    document = {
        "format_version": RECORD_VERSION,
        "about": "what `garak-tbsa detectors uninstall` restores",
        "before": None if before is None else base64.b64encode(before).decode("ascii"),
        "installed_sha256": list(record.installed_sha256),
        "installed": [asdict(each) for each in record.installed],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def parse_record(text: bytes, path: str) -> InstallRecord:
    """Read a record back.

    Raises
    ------
    InstallError
        It is none, or of a later version.
    """
    try:
        document = json.loads(text)
        version, raw = document["format_version"], document["before"]
        before = None if raw is None else base64.b64decode(raw, validate=True)
        sha256 = tuple(str(each) for each in document["installed_sha256"])
        # records before 0.2.0 have none
        installed = msgspec.convert(
            document.get("installed", ()), tuple[Installed, ...]
        )
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        version = None
    if version != RECORD_VERSION:
        raise InstallError(
            f"{path}: not a record that this garak-tbsa can read, so the earlier"
            " metrics are not known; remove it and the metrics beside it to use"
            " garak's own"
        )
    return InstallRecord(before=before, installed_sha256=sha256, installed=installed)


def record_in(users: str) -> InstallRecord | None:
    """Read the record beside the user's metrics; None where nothing was installed.

    Raises
    ------
    InstallError
        It cannot be read.
    """
    path = record_path(users)
    content = content_of(path)
    return None if content is None else parse_record(content, path)


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


def record_path(users: str) -> str:
    """Return where that is which restores the user's file."""
    return os.path.join(os.path.dirname(users), RECORD_NAME)


def restored(
    now: bytes | None, record: InstallRecord, path: str, *, force: bool = False
) -> bytes | None:
    """What was at ``path`` before the first installation; None where nothing was.

    Raises
    ------
    InstallError
        Somebody else has changed the file since.
    """
    untouched = (
        now is None or now == record.before or _sha256(now) in record.installed_sha256
    )
    if not untouched and not force:
        raise InstallError(
            f"{path}: has changed since garak-tbsa installed it; --force restores"
            " the earlier file and loses the change"
        )
    return record.before


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def refusal_text(plan: Installation) -> str:
    """One line that says what was not installed, and what helps."""
    named = "; ".join(f"{entry.detector} {entry.reason}" for entry in plan.refused)
    advice = "label more rows"
    if not all(entry.is_final for entry in plan.refused):
        advice += ", or --force"
    return f"--install: {len(plan.refused)} not installed, {advice}: {named}"
