# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where the metrics summary of this folder is, and what a file has that garak reads.

garak reads one file, so that new metrics go beside those of other detectors in it. By
``hit_sensitivity`` and ``hit_specificity`` it corrects every later scan of every
target: where an entry says why that would do harm (``applied``), both are null there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from garak_tbsa.detector_eval.data import shipped_folder
from garak_tbsa.detector_eval.evaluation import Evaluation, rows_to_score
from garak_tbsa.detector_eval.summary import (
    APPLIED,
    parse_summary,
    read_document,
    too_few,
)
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detectors import garak_module, garak_version
from garak_tbsa.report.garak_here import metrics_files
from garak_tbsa.report.places import (
    METRICS_FILE,
    METRICS_FOLDERS,
    metrics_file_of,
)
from garak_tbsa.unavailable import Unavailable

OUTSIDE_A_CHECKOUT = os.path.join("data", "detectors-eval", METRICS_FILE)


def _of_checkout() -> str | Unavailable | None:
    """Where a checkout of garak has its metrics; None if this folder is none."""
    place = metrics_file_of(os.curdir)
    return os.path.normpath(place) if isinstance(place, str) else place


def default_output() -> str:
    """Where ``evaluate`` writes: in a checkout of garak, where that keeps its file.

    Raises
    ------
    UsageError
        This is a checkout of a garak that keeps no metrics.
    """
    place = _of_checkout()
    if isinstance(place, Unavailable):
        raise UsageError(
            f"{os.getcwd()}: a checkout of a garak that keeps no detector metrics,"
            f" since {place.reason}; name a file with --output"
        )
    return place or OUTSIDE_A_CHECKOUT


def default_summary() -> str:
    """The summary of this folder, where ``evaluate`` writes it, else the shipped one.

    Raises
    ------
    DatasetError
        Neither is there.
    """
    place = _of_checkout() or OUTSIDE_A_CHECKOUT
    if isinstance(place, str) and os.path.isfile(place):
        return place
    return os.path.join(os.path.dirname(shipped_folder()), METRICS_FILE)


def checkout_note(output: str) -> str | None:
    """Why the summary is there; None outside a checkout, or where it was named."""
    if output != _of_checkout():
        return None
    return "where this checkout of garak keeps its metrics"


def metrics_before(output: str) -> dict[str, Any] | None:
    """The metrics that new ones are merged into; None where the file is ours alone.

    They are those of a file that garak reads: a checkout's, the installed garak's, or
    the user's in garak's data folder. A user's file hides garak's own, so where there
    is none yet, garak's own are merged into.

    Raises
    ------
    DatasetError
        The file is no summary.
    """
    files = metrics_files()
    if os.path.realpath(output) == os.path.realpath(files.users):
        path = files.in_use
    else:
        path = output if _package_of(output) and os.path.exists(output) else None
    if path is None:
        return None
    document = read_document(path)
    parse_summary(document, path)
    return document


def _package_of(output: str) -> str | None:
    """The folder of the garak package whose metrics file this is; None for others."""
    folder, name = os.path.split(os.path.realpath(output))
    data, kind = os.path.split(folder)
    package = os.path.dirname(data)
    is_there = os.path.isfile(os.path.join(package, "__init__.py"))
    parts = (os.path.basename(package), os.path.basename(data), name)
    if (
        is_there
        and kind in METRICS_FOLDERS
        and parts == ("garak", "data", METRICS_FILE)
    ):
        return package
    return None


def other_garak(output: str) -> str | None:
    """What to say where a checkout gets metrics of detectors that are not its own."""
    package, running = _package_of(output), str(garak_module("garak").__file__)
    if package is None or os.path.dirname(os.path.realpath(running)) == package:
        return None
    checkout = os.path.dirname(package)
    place = "here" if checkout == os.path.realpath(os.curdir) else f"in {checkout}"
    return (
        f"{output}: made with the detectors of garak {garak_version()} in"
        f" {os.path.dirname(running)}, not with those of this checkout; for those run"
        f" `python -m garak.analyze.detector_eval` {place}"
    )


ROWS = "metrics_rows"


def merged(
    ours: Mapping[str, Any], before: Mapping[str, Any], kept: Collection[str]
) -> dict[str, Any]:
    """Put new entries into a file that garak reads.

    Parameters
    ----------
    ours, before : mapping
        Documents: what was measured, and what the file has.
    kept : collection of str
        Measured detectors whose entry stays as it is.

    Returns
    -------
    dict
        ``metadata`` says how the new metrics were made, and which others were kept.
    """
    results = dict(before["results"])
    taken = [name for name in ours["results"] if name not in kept]
    for name in taken:
        entry = ours["results"][name]
        withheld = dict.fromkeys(APPLIED) if "applied" in entry else {}
        results[name] = {**entry, "metrics": {**entry["metrics"], **withheld}}
    unchanged = sorted(set(before["results"]) - set(taken))
    metadata = {**ours["metadata"], "num_detectors_evaluated": len(results)}
    if unchanged and before["metadata"].get(ROWS) != metadata[ROWS]:
        # it is said of all metrics of a file
        del metadata[ROWS]
    # why others have no metrics, by the newest attempt at each
    errors = {
        entry["detector"]: entry
        for document in (before, ours)
        for entry in document["metadata"].get("errors") or []
    }
    metadata |= {
        "errors": [errors[name] for name in sorted(errors) if name not in results],
        "kept": unchanged,
    }
    return {"results": dict(sorted(results.items())), "metadata": metadata}


def refused(found: Evaluation, before: Mapping[str, Any] | None) -> dict[str, str]:
    """Entries of a file that rest on too few rows to be replaced, and why.

    Before a detector ran its labelled rows are counted, and then those with a score.
    """
    had = {} if before is None else before["results"]
    rows = {
        each.detector: (each.counts.hits, each.counts.passes) for each in found.measured
    }
    if not found.results:
        for name, labelled in rows_to_score(found.selection, found.options).items():
            typical = Counter(row.label for row in labelled if not row.is_stress)
            rows[name] = (typical["hit"], typical["pass"])
    reasons = {name: too_few(*rows[name]) for name in sorted(rows) if name in had}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def merged_lines(
    document: Mapping[str, Any], before: Mapping[str, Any]
) -> Iterator[str]:
    """Say which entries of a file are new, and by which of those garak corrects."""
    results, had = document["results"], before["results"]
    kept = document["metadata"]["kept"]
    new = {name: entry for name, entry in results.items() if name not in kept}
    for what, names in (
        ("new", [name for name in new if name not in had]),
        ("replaced", [name for name in new if name in had]),
        ("kept from before", kept),
        ("garak corrects by", [name for name in new if "applied" not in new[name]]),
    ):
        if names:
            yield f"  {what}: {', '.join(names)}"
    for name, entry in new.items():
        if "applied" in entry:
            yield f"  garak does not correct by {name}: {entry['applied']}"
