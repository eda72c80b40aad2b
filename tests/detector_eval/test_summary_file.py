# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary is parsed once: typed records, or one line that says what is wrong.

``tests/behaviour/test_summaries.py`` has what commands say of wrong members.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval import summary_file as module
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.summary_file import (
    METRICS,
    SummaryMetadata,
    parse_summary,
    read_summary,
)
from garak_tbsa.errors import DatasetError
from tests.behaviour.labelled import summary_of

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


def refusal_of(document: dict[str, Any]) -> str:
    with pytest.raises(DatasetError) as caught:
        parse_summary(document, "s.json")
    return str(caught.value)


def test_what_a_summary_says_and_what_garak_leaves_out(
    document: dict[str, Any],
) -> None:
    """``tests/behaviour/test_shipped_rows.py`` has the measures."""
    summary = parse_summary(document, "s.json")
    entry = summary.measured["dan.DAN"]
    assert entry.counts == ConfusionCounts(tp=20, fp=10, fn=10, tn=20)
    assert entry.stress == ConfusionCounts(tp=2, fn=15, tn=3, fp=17)
    assert entry.data_sha256 == ("0" * 64,)
    assert (summary.metadata.metrics_rows, summary.warnings) == ("typical", ())
    document["metadata"]["format_version"] = 1
    del document["metadata"]["metrics_rows"], document["results"]["dan.DAN"]["stress"]
    summary = parse_summary(document, "s.json")
    assert summary.measured["dan.DAN"].stress is None
    assert summary.metadata.metrics_rows == "typical and stress"
    metrics = {"accuracy": 1.0, "hit_f1": 0.0, "pass_f1": 1.0}
    raw = {"results": {"a.B": {"metrics": metrics}}, "metadata": {}}
    summary = parse_summary(raw, "s.json")
    entry = summary.measured["a.B"]
    assert (entry.hit_f1, entry.sensitivity, entry.counts) == (0.0, None, None)
    assert summary.metadata == SummaryMetadata(versions={})


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
        (b" " * (module.MOST_BYTES + 1), ": more than 4 MiB; expected a summary"),
    ],
)
def test_no_summary(tmp_path: Path, content: bytes | None, message: str) -> None:
    """NaN as hit F1 ranked first."""
    path = tmp_path / "summary.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        read_summary(str(path))
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("metrics.hit_f1", True, ", metrics.hit_f1: expected `float | null`, got"),
        ("metrics.hit_recall", 10**400, ", metrics.hit_recall: number out of range;"),
        ("counts.tp", 10**13, ", counts.tp: expected `int` <= 1000000000000;"),
        ("counts.tp", 21, ": `accuracy` is 0.666667, but the counts beside it give"),
        ("stress", {"hits": 1}, ", stress: object missing required field `hits_found`"),
        ("stress.passes", 30, ", stress: `passes_left_alone_share` is 0.15, but the"),
        ("basis.hits.real", -1, ", basis.hits.real: expected `int` >= 0;"),
        ("basis.models", [5], ", basis.models[0]: expected `str`, got `int`;"),
    ],
)
def test_what_cannot_be(
    document: dict[str, Any], path: str, value: Any, message: str
) -> None:
    """A value is not taken for its place; another type is no defect of ours."""
    *parents, last = path.split(".")
    place = document["results"]["dan.DAN"]
    for name in parents:
        place = place[name]
    place[last] = value
    assert refusal_of(document).startswith(f"s.json, dan.DAN{message}")
    metadata = document["metadata"]
    metadata["metrics_rows"] = "x - at `$.y`"
    enum = "s.json, metadata, metrics_rows: invalid enum value 'x - at `$.y`'"
    document["results"] = {}
    assert refusal_of(document) == f"{enum}; {MADE_AGAIN}"
    metadata |= {"metrics_rows": "typical", "versions": {"garak": 5}}
    assert refusal_of(document) == (
        f"s.json, metadata, versions[...]: expected `str`, got `int`; {MADE_AGAIN}"
    )


def test_an_unknown_major_version_is_refused_and_a_newer_minor_warns(
    document: dict[str, Any],
) -> None:
    def warnings_of(version: Any) -> tuple[str, ...]:
        document["metadata"]["format_version"] = version
        return parse_summary(document, "s.json").warnings

    known: list[Any] = [1, "1", "1.0", 2, "2", "2.0", None]
    for version in known:
        assert warnings_of(version) == ()
    assert warnings_of("2.1") == (
        "s.json: format version 2.1 is newer than 2.0, which this garak-tbsa knows;"
        " what it does not know is left out",
    )
    unknown: list[Any] = [0, 4, "4.0", "4"]
    for version in unknown:
        with pytest.raises(DatasetError) as caught:
            warnings_of(version)
        assert str(caught.value) == (
            f"s.json: a summary of format version {str(version)[0]}, and this"
            f" garak-tbsa reads versions 1 to 3; update garak-tbsa, or {MADE_AGAIN}"
        )
    no_versions: list[Any] = [1.1, True, "x", "1.x", "1.", "-1", [], "9" * 50]
    for version in no_versions:
        with pytest.raises(DatasetError, match="`format_version` is") as caught:
            warnings_of(version)
        assert str(caught.value).endswith('; expected 3, or a text such as "3.1"')


def test_counts_and_their_metrics_agree_to_a_millionth(
    document: dict[str, Any],
) -> None:
    """Counts that contradict the metrics give one clear line."""
    metrics = document["results"]["dan.DAN"]["metrics"]
    for name in METRICS:
        exact = metrics[name]
        metrics[name] = exact + 0.9e-6
        parse_summary(document, "s.json")
        metrics[name] = exact + 1.1e-6
        assert refusal_of(document) == (
            f"s.json, dan.DAN: `{name}` is 0.666668, but the counts beside it give"
            f" 0.666667; {MADE_AGAIN}"
        )
        metrics[name] = exact
    metrics["hit_f1"] = None
    assert "`hit_f1` is null, but the counts beside" in refusal_of(document)
    metrics["reason"] = "its own words"
    found = parse_summary(document, "s.json").measured["dan.DAN"]
    assert (found.hit_f1, found.unmeasurable) == (None, "its own words")


def test_the_interval_of_a_scan_is_read_and_checked(document: dict[str, Any]) -> None:
    ends = {"lower": -0.5, "upper": 0.75}
    entry = document["results"]["dan.DAN"]
    entry["on_scan"] = {"intervals": {"youden_index": ends}}
    # the metrics are of all outputs, and not of the labelled ones alone
    entry["metrics"]["hit_f1"] = 0.1
    found = parse_summary(document, "s.json").measured["dan.DAN"]
    assert found.youden == Interval(lower=-0.5, upper=0.75)
    drawn = ConfusionCounts(tp=20, fp=10, fn=10, tn=20)
    assert (found.counts, found.drawn) == (None, drawn)
    ends["lower"] = 0.8
    assert refusal_of(document) == (
        f"s.json, dan.DAN, on_scan: `lower` is above `upper`; {MADE_AGAIN}"
    )
