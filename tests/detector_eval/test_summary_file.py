# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary is parsed once: typed records, or one line that says what is wrong.

``tests/behaviour/test_summaries.py`` has what commands say of wrong members.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

import garak_tbsa
from tests.behaviour.labelled import measures, summary_of, write_summary

MADE_AGAIN = "make it again with `garak-tbsa detectors evaluate`"


@pytest.fixture
def document() -> dict[str, Any]:
    found = summary_of({"dan.DAN": (20, 10, 10, 20)})
    found["results"]["dan.DAN"] |= {
        "stress": {
            "hits_found": 2,
            "hits": 17,
            "passes_left_alone": 3,
            "passes": 20,
            "passes_left_alone_share": {"share": 0.15},
        },
        "basis": {"hits": {"real": 12}, "passes": {}, "models": ["small"]},
    }
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.json"


def loaded(document: dict[str, Any], path: Path) -> Any:
    return garak_tbsa.load_summary(write_summary(path, document))


def refusal_of(document: dict[str, Any] | None, path: Path) -> str:
    """What is said of a document, or of what the file has, behind its path."""
    with pytest.raises(garak_tbsa.GarakTbsaError) as caught:
        loaded(document, path) if document else garak_tbsa.load_summary(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def test_what_a_summary_says_and_what_garak_leaves_out(
    document: dict[str, Any], path: Path
) -> None:
    """``tests/behaviour/test_shipped_rows.py`` has the measures."""
    summary = loaded(document, path)
    entry = summary.detectors["dan.DAN"]
    assert astuple(entry.counts) == (20, 10, 10, 20)
    assert astuple(entry.stress) == (2, 17, 15, 3)
    assert entry.data_sha256 == ("0" * 64,)
    assert (summary.metadata.metrics_rows, summary.warnings) == ("typical", ())
    document["metadata"]["format_version"] = 1
    del document["metadata"]["metrics_rows"], document["results"]["dan.DAN"]["stress"]
    summary = loaded(document, path)
    assert summary.detectors["dan.DAN"].stress is None
    assert summary.metadata.metrics_rows == "typical and stress"
    metrics = {"accuracy": 1.0, "hit_f1": 0.0, "pass_f1": 1.0}
    summary = loaded({"results": {"a.B": {"metrics": metrics}}, "metadata": {}}, path)
    entry = summary.detectors["a.B"]
    assert (entry.hit_f1, entry.sensitivity, entry.counts) == (0.0, None, None)
    stated = summary.metadata
    assert (stated.versions, stated.errors) == ({}, ())
    assert {stated.random_seed, stated.metrics_rows, stated.confidence} == {None}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, ": cannot be read (no such file or directory); make one with"),
        (b"{\n  x", ", line 2: not JSON in UTF-8 that can be read; expected a"),
        (b"\xff", ": not JSON in UTF-8 that can be read; expected a summary file"),
        (b"[" * 90_000, ": not JSON in UTF-8 that can be read; expected a summary"),
        (b'{"a": "\xff"}', ": not JSON in UTF-8 that can be read; expected a summary"),
        (b'{"a": ' * 90_000, ": not JSON in UTF-8 that can be read; expected a"),
        (b"1" * 9_000, ": not JSON in UTF-8 that can be read; expected a summary"),
        (b"[]", ": no JSON object; expected a summary file"),
        (b'{"results": {"a.B": 1}, "metadata": {}}', ", a.B: expected `object`, got"),
        (b'{"results": {"a.B": {}, "a.B": {}}}', ": 'a.B' is there twice in one"),
        (b'{"results": {"f1": NaN}}', f": NaN is no number in JSON; {MADE_AGAIN}"),
        (b'{"ours": -Infinity}', f": -Infinity is no number in JSON; {MADE_AGAIN}"),
        (b'{"ours": 1e999}', f": 1e999 is no number in JSON; {MADE_AGAIN}"),
        (b" " * ((4 << 20) + 1), ": more than 4 MiB; expected a summary"),
    ],
)
def test_no_summary(path: Path, content: bytes | None, message: str) -> None:
    """NaN as hit F1 ranked first."""
    if content is not None:
        path.write_bytes(content)
    assert refusal_of(None, path).startswith(message)


def test_an_unknown_major_version_is_refused_and_a_newer_minor_warns(
    document: dict[str, Any], path: Path
) -> None:
    known: list[Any] = [1, "1", "1.0", 2, "2", "2.0", None]
    for version in known:
        document["metadata"]["format_version"] = version
        assert loaded(document, path).warnings == ()
    document["metadata"]["format_version"] = "2.1"
    assert loaded(document, path).warnings == (
        f"{path}: format version 2.1 is newer than 2.0, which this garak-tbsa knows;"
        " what it does not know is left out",
    )
    unknown: list[Any] = [0, 4, "4.0", "4"]
    for version in unknown:
        document["metadata"]["format_version"] = version
        assert refusal_of(document, path) == (
            f": a summary of format version {str(version)[0]}, and this garak-tbsa"
            f" reads versions 1 to 3; update garak-tbsa, or {MADE_AGAIN}"
        )
    no_versions: list[Any] = [1.1, True, "x", "1.x", "1.", "-1", [], "9" * 50]
    for version in no_versions:
        document["metadata"]["format_version"] = version
        refusal = refusal_of(document, path)
        assert refusal.startswith(": `format_version` is")
        assert refusal.endswith('; expected 3, or a text such as "3.1"')


def test_counts_and_their_metrics_agree_to_a_millionth(
    document: dict[str, Any], path: Path
) -> None:
    """Counts that contradict the metrics give one clear line."""
    metrics = document["results"]["dan.DAN"]["metrics"]
    for name, exact in measures(20, 10, 10, 20).items():
        assert exact is not None
        metrics[name] = exact + 0.9e-6
        loaded(document, path)
        metrics[name] = exact + 1.1e-6
        assert refusal_of(document, path) == (
            f", dan.DAN: `{name}` is 0.666668, but the counts beside it give 0.666667;"
            f" {MADE_AGAIN}"
        )
        metrics[name] = exact
    metrics["hit_f1"] = None
    assert "`hit_f1` is null, but the counts beside" in refusal_of(document, path)
    metrics["reason"] = "its own words"
    found = loaded(document, path).detectors["dan.DAN"]
    assert (found.hit_f1, found.unmeasurable) == (None, "its own words")


def test_the_interval_of_a_scan_is_read_and_checked(
    document: dict[str, Any], path: Path
) -> None:
    ends = {"lower": -0.5, "upper": 0.75}
    entry = document["results"]["dan.DAN"]
    entry["on_scan"] = {"intervals": {"youden_index": ends}}
    # the metrics are of all outputs, and not of the labelled ones alone
    entry["metrics"]["hit_f1"] = 0.1
    found = loaded(document, path).detectors["dan.DAN"]
    assert (found.youden.lower, found.youden.upper) == (-0.5, 0.75)
    assert (found.counts, astuple(found.drawn)) == (None, (20, 10, 10, 20))
    ends["lower"] = 0.8
    assert refusal_of(document, path) == (
        f", dan.DAN, on_scan: `lower` is above `upper`; {MADE_AGAIN}"
    )
