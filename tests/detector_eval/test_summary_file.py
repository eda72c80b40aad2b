# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary is parsed once: typed records, or one line that says what is wrong."""

from __future__ import annotations

import copy
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval import summary_file as module
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.summary import METRICS
from garak_tbsa.detector_eval.summary_file import (
    Summary,
    SummaryMetadata,
    parse_summary,
    read_summary,
)
from garak_tbsa.errors import DatasetError
from tests.detector_eval.summaries import COUNTS, write_summary

MADE_AGAIN = "make it again with `garak-tbsa detectors evaluate`"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = write_summary(
        tmp_path_factory.mktemp("summary") / "s.json",
        {**COUNTS, "lmrc.Anthro": {"tn": 5}},
        failures={"judge.Refusal": "no key"},
        stress={"dan.DAN": {"tp": 2, "fn": 15, "tn": 3, "fp": 17}},
    )
    with open(path) as handle:
        summary: dict[str, Any] = json.load(handle)
    return summary


def test_ours_is_read_back(document: dict[str, Any]) -> None:
    summary = parse_summary(document, "s.json")
    entry = summary.measured["dan.DAN"]
    assert entry.counts == ConfusionCounts(tp=20, fp=10, fn=10, tn=20)
    assert entry.stress == ConfusionCounts(tp=2, fn=15, tn=3, fp=17)
    assert entry.hit_f1 == entry.counts.hit_f1
    assert entry.sensitivity == entry.counts.hit_sensitivity
    assert entry.specificity == entry.counts.hit_specificity
    assert isinstance(entry.interval, Interval)
    assert entry.data_sha256 == ("0" * 64,)
    assert summary.measured["lmrc.Anthro"].hit_f1 is None
    assert summary.measured["lmrc.Anthro"].interval is None
    assert summary.measured["goodside.PlainJSON"].degenerate
    assert summary.not_evaluated == {"judge.Refusal": "no key"}
    assert summary.metadata == SummaryMetadata(
        evaluation_date="2026-01-30T00:00:00+00:00",
        random_seed=42,
        eval_threshold=0.5,
        metrics_rows="typical",
        balance_datasets=False,
        confidence=0.95,
        versions={"garak": "0.17.1"},
    )
    assert summary.warnings == ()


def test_what_garak_leaves_out_is_none() -> None:
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
        (b"{\n  x", ", line 2: not JSON; expected a summary file"),
        (b"\xff", ": not JSON in UTF-8 that can be read; expected a summary file"),
        (b"[" * 90_000, ": not JSON in UTF-8 that can be read; expected a summary"),
        (b"1" * 9_000, ": not JSON in UTF-8 that can be read; expected a summary"),
        (b"[]", ": no JSON object; expected a summary file"),
        (b"{}", ": no object 'results'; expected a summary as written by"),
        (b'{"results": {}}', ": no object 'metadata'; expected a summary as written"),
        (b'{"results": {"a.B": 1}, "metadata": {}}', ": no object 'a.B'; expected"),
        (b'{"results": {"a.B": {}}, "metadata": {}}', ", a.B: no object 'metrics';"),
        (b'{"results": {"a.B": {}, "a.B": {}}}', ": 'a.B' is there twice in one"),
    ],
)
def test_no_summary(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "summary.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        read_summary(str(path))
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_file_that_is_far_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(b" " * 11)
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    with pytest.raises(DatasetError) as caught:
        read_summary(str(path))
    assert str(caught.value).startswith(f"{path}: more than 0 MiB; expected a summary")
    with pytest.raises(DatasetError, match="more than 0 MiB"):
        read_summary("/dev/zero")


@pytest.mark.parametrize(
    ("number", "said"), [("NaN", "nan"), ("-Infinity", "-inf"), ("1e999", "inf")]
)
@pytest.mark.parametrize("field", ["hit_f1", "pass_f1", "ours"])
def test_no_number_in_json(
    document: dict[str, Any], tmp_path: Path, number: str, said: str, field: str
) -> None:
    """NaN as hit F1 ranked first."""
    raw = copy.deepcopy(document)
    raw["results"]["dan.DAN"]["metrics"][field] = "X"
    path = tmp_path / "s.json"
    path.write_text(json.dumps(raw).replace('"X"', number))
    with pytest.raises(DatasetError) as caught:
        read_summary(str(path))
    assert str(caught.value) == (
        f"{path}: results.dan.DAN.metrics.{field} is {said}, which is no number in"
        f" JSON; {MADE_AGAIN}"
    )


SHARE = "expected a number from 0 to 1, or null"


@pytest.mark.parametrize(
    ("part", "name", "value", "message"),
    [
        ("metrics", "hit_f1", 1.1, f"dan.DAN: `hit_f1` is 1.1; {SHARE}"),
        ("metrics", "hit_f1", -0.1, f"dan.DAN: `hit_f1` is -0.1; {SHARE}"),
        ("metrics", "hit_f1", "high", f'dan.DAN: `hit_f1` is "high"; {SHARE}'),
        ("metrics", "hit_f1", True, f"dan.DAN: `hit_f1` is true; {SHARE}"),
        ("metrics", "hit_f1", [1], f"dan.DAN: `hit_f1` is a list; {SHARE}"),
        (
            "metrics",
            "hit_sensitivity",
            10**400,
            f"dan.DAN: `hit_sensitivity` is a number of more than 20 digits; {SHARE}",
        ),
        (
            "metrics",
            "hit_f1_ci",
            7,
            "dan.DAN: no object 'hit_f1_ci'; expected a summary as written by"
            " `garak-tbsa detectors evaluate`",
        ),
        (
            "metrics",
            "hit_f1_ci",
            {"ci_lower": 0.9, "ci_upper": 0.1},
            f"dan.DAN: `ci_lower` is above `ci_upper`; {MADE_AGAIN}",
        ),
        (
            "metrics",
            "hit_f1_ci",
            {"ci_lower": 0.1, "ci_upper": 0.9, "degenerate": "yes"},
            'dan.DAN: `degenerate` is "yes"; expected true or false',
        ),
        (
            "counts",
            "tp",
            -1,
            "dan.DAN, counts: `tp` is -1; expected a whole number of at least 0",
        ),
        (
            "counts",
            "tp",
            10**400,
            "dan.DAN, counts: `tp` is a number of more than 20 digits; expected a"
            " whole number of at most 1,000,000,000,000",
        ),
        (
            "counts",
            "tp",
            20.0,
            "dan.DAN, counts: `tp` is 20.0; expected a whole number of at least 0",
        ),
        (
            "counts",
            "tp",
            None,
            "dan.DAN, counts: `tp` is null; expected a whole number",
        ),
        (
            "stress",
            "hits",
            None,
            "dan.DAN, stress: `hits` is null; expected a whole number",
        ),
        (
            "stress",
            "hits_found",
            18,
            "dan.DAN, stress: `hits_found` is 18, more than `hits`, 17; " + MADE_AGAIN,
        ),
        (
            "stress",
            "passes",
            30,
            "dan.DAN, stress: `passes_left_alone_share` is 0.15, but the counts beside"
            f" it give 0.1; {MADE_AGAIN}",
        ),
        (
            "counts",
            "tp",
            21,
            f"dan.DAN: `accuracy` is 0.666667, but the counts beside it give 0.672131;"
            f" {MADE_AGAIN}",
        ),
        (
            "metrics",
            "hit_f1",
            None,
            f"dan.DAN: `hit_f1` is null, but the counts beside it give 0.666667;"
            f" {MADE_AGAIN}",
        ),
    ],
)
def test_what_cannot_be(
    document: dict[str, Any], part: str, name: str, value: Any, message: str
) -> None:
    raw = copy.deepcopy(document)
    raw["results"]["dan.DAN"][part][name] = value
    with pytest.raises(DatasetError) as caught:
        parse_summary(raw, "s.json")
    assert str(caught.value) == f"s.json, {message}"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("evaluation_date", 5, "metadata: `evaluation_date` is 5; expected a text"),
        (
            "random_seed",
            -1,
            "metadata: `random_seed` is -1; expected a whole number of at least 0",
        ),
        (
            "balance_datasets",
            "no",
            'metadata: `balance_datasets` is "no"; expected true or false',
        ),
        ("eval_threshold", 2, f"metadata: `eval_threshold` is 2; {SHARE}"),
    ],
)
def test_what_metadata_cannot_be(
    document: dict[str, Any], name: str, value: int | str, message: str
) -> None:
    raw = copy.deepcopy(document)
    raw["metadata"][name] = value
    with pytest.raises(DatasetError) as caught:
        parse_summary(raw, "s.json")
    assert str(caught.value) == f"s.json, {message}"


@pytest.mark.parametrize("errors", [7, [7], [{"detector": "a.B"}], {"a.B": "x"}])
def test_errors_that_are_none(
    document: dict[str, Any], errors: dict[str, str] | int | list[Any]
) -> None:
    raw = copy.deepcopy(document)
    raw["metadata"]["errors"] = errors
    with pytest.raises(DatasetError) as caught:
        parse_summary(raw, "s.json")
    assert str(caught.value) == (
        "s.json: `metadata.errors` is no list of objects with `detector` and `reason`;"
        f" {MADE_AGAIN}"
    )


def of_version(document: dict[str, Any], version: Any) -> Summary:
    raw = copy.deepcopy(document)
    raw["metadata"]["format_version"] = version
    return parse_summary(raw, "s.json")


@pytest.mark.parametrize("version", [1, "1", "1.0", 2, "2", "2.0", None])
def test_a_version_that_is_known(
    document: dict[str, Any], version: int | str | None
) -> None:
    assert of_version(document, version).warnings == ()


@pytest.mark.parametrize("major", [1, 2])
def test_a_newer_minor_version_warns(document: dict[str, Any], major: int) -> None:
    """An unknown major version raises, a newer minor warns."""
    assert of_version(document, f"{major}.1").warnings == (
        f"s.json: format version {major}.1 is newer than {major}.0, which this"
        " garak-tbsa knows; what it does not know is left out",
    )


@pytest.mark.parametrize("version", [0, 4, "4.0", "4"])
def test_an_unknown_major_version_raises(
    document: dict[str, Any], version: int | str
) -> None:
    """An unknown major version raises, a newer minor warns."""
    with pytest.raises(DatasetError) as caught:
        of_version(document, version)
    assert str(caught.value) == (
        f"s.json: a summary of format version {str(version)[0]}, and this garak-tbsa"
        f" reads versions 1 to 3; update garak-tbsa, or {MADE_AGAIN}"
    )


def test_the_first_version_is_still_read(document: dict[str, Any]) -> None:
    """Older summaries without ``stress`` are still read."""
    raw = copy.deepcopy(document)
    raw["metadata"]["format_version"] = 1
    del raw["metadata"]["metrics_rows"]
    for entry in raw["results"].values():
        del entry["stress"]
    summary = parse_summary(raw, "s.json")
    assert summary.warnings == ()
    assert summary.measured["dan.DAN"].stress is None
    assert summary.metadata.metrics_rows == "typical and stress"


def test_metrics_of_other_rows_are_refused(document: dict[str, Any]) -> None:
    raw = copy.deepcopy(document)
    raw["metadata"]["metrics_rows"] = "all"
    with pytest.raises(DatasetError) as caught:
        parse_summary(raw, "s.json")
    assert str(caught.value) == (
        's.json, metadata: `metrics_rows` is "all"; expected "typical"'
    )


@pytest.mark.parametrize("version", [1.1, True, "x", "1.x", "1.", "-1", [], "9" * 50])
def test_no_version(document: dict[str, Any], version: Any) -> None:
    with pytest.raises(DatasetError, match="`format_version` is"):
        of_version(document, version)


cells = st.integers(0, 50)


@given(st.builds(ConfusionCounts, tp=cells, fp=cells, fn=cells, tn=cells), st.data())
def test_counts_and_their_metrics_agree(counts: ConfusionCounts, data: Any) -> None:
    """Counts that contradict the metrics give one clear line."""
    metrics = {name: getattr(counts, name) for name in METRICS}
    cells = {name: getattr(counts, name) for name in ("tp", "fp", "fn", "tn")}
    raw = {"results": {"a.B": {"metrics": metrics, "counts": cells}}, "metadata": {}}
    assert parse_summary(raw, "s").measured["a.B"].counts == counts
    name = data.draw(st.sampled_from(METRICS))
    stated = 0.5 if metrics[name] is None else (metrics[name] + 0.5) % 1
    metrics[name] = stated
    with pytest.raises(DatasetError, match=f"`{name}` is"):
        parse_summary(raw, "s")


def test_agreement_is_to_a_millionth(document: dict[str, Any]) -> None:
    raw = copy.deepcopy(document)
    exact = raw["results"]["dan.DAN"]["metrics"]["hit_f1"]
    raw["results"]["dan.DAN"]["metrics"]["hit_f1"] = exact + 0.9e-6
    parse_summary(raw, "s.json")
    raw["results"]["dan.DAN"]["metrics"]["hit_f1"] = exact + 1.1e-6
    with pytest.raises(DatasetError, match=r"`hit_f1` is 0\.666668, but"):
        parse_summary(raw, "s.json")


def test_the_interval_of_a_scan_is_read_and_checked(document: dict[str, Any]) -> None:
    raw = copy.deepcopy(document)
    ends = {"lower": -0.5, "upper": 0.75}
    raw["results"]["dan.DAN"]["on_scan"] = {"intervals": {"youden_index": ends}}
    entry = parse_summary(raw, "s.json").measured["dan.DAN"]
    assert entry.youden == Interval(lower=-0.5, upper=0.75)
    drawn = ConfusionCounts(tp=20, fp=10, fn=10, tn=20)
    assert (entry.counts, entry.drawn) == (None, drawn)
    ends["lower"] = 0.8
    with pytest.raises(DatasetError, match=r"DAN: `lower` is above `upper`; make"):
        parse_summary(raw, "s.json")
    raw["results"]["dan.DAN"]["on_scan"] = {}
    with pytest.raises(DatasetError, match="on_scan: no object 'intervals'; expected"):
        parse_summary(raw, "s.json")


def test_counts_that_are_not_all_there(document: dict[str, Any]) -> None:
    raw = copy.deepcopy(document)
    del raw["results"]["dan.DAN"]["counts"]["tp"]
    with pytest.raises(DatasetError) as caught:
        parse_summary(raw, "s.json")
    assert str(caught.value) == (
        "s.json, dan.DAN, counts: `tp` is null; expected a whole number"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hits": {"real": -1}}, "basis.hits: `real` is -1; expected a whole number"),
        ({"models": [5]}, "basis: `models` is a list; expected a list of names"),
        ({"prompts": "x"}, 'basis: `prompts` is "x"; expected a whole number'),
        ({"hits": []}, "basis: no object 'hits'; expected a summary"),
    ],
)
def test_a_basis_that_is_none(
    document: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    document = deepcopy(document)
    document["results"]["dan.DAN"]["basis"] |= change
    with pytest.raises(DatasetError) as caught:
        parse_summary(document, "s.json")
    assert str(caught.value).startswith(f"s.json, dan.DAN, {said}")


def test_a_metric_without_a_number_has_a_reason(document: dict[str, Any]) -> None:
    document = deepcopy(document)
    metrics = document["results"]["dan.DAN"]["metrics"]
    metrics["hit_f1"] = None
    with pytest.raises(DatasetError, match="`hit_f1` is null, but the counts beside"):
        parse_summary(document, "s.json")
    metrics["reason"] = "its own words"
    found = parse_summary(document, "s.json").measured["dan.DAN"]
    assert (found.hit_f1, found.unmeasurable) == (None, "its own words")
