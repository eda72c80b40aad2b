# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak_tbsa.evaluate`` and what notebooks show of metrics and audits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.judged import answer, write_scan
from tests.behaviour.labelled import (
    ECHO,
    echo_row,
    echo_rows,
    evaluated,
    measures,
    summary_of,
    write_cells,
    write_lines,
    write_summary,
)
from tests.behaviour.scans import demo
from tests.page_parser import Page
from tests.report_rows import PairFacts

HOSTILE = "<script>alert(1)</script>|`x`[y](javascript:z){{7*7}}\x1b[2J\u202e"


def test_evaluate_gives_what_the_command_writes(
    echoes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    rows = echo_rows(20, 9, 6, 24, detector=ECHO)
    rows.append(echo_row("1", "hit", "s", detector=ECHO, why="disguised"))
    path = write_lines(echoes / "rows.jsonl", rows)
    result = garak_tbsa.evaluate(path, detectors=f"{ECHO},dan.DAN")
    written = evaluated(echoes, "--data", path, "--detectors", f"{ECHO},dan.DAN")
    assert json.loads(result.to_json()) == written
    (echo,) = result.detectors.values()
    assert echo.counts is not None
    assert (echo.counts.tp, echo.counts.fp, echo.counts.fn, echo.counts.tn) == (
        *(20, 9, 6, 24),
    )
    expected = measures(20, 9, 6, 24)
    assert (echo.hit_f1, echo.sensitivity, echo.specificity) == (
        expected["hit_f1"],
        expected["hit_sensitivity"],
        expected["hit_specificity"],
    )
    assert dict(result.not_evaluated) == {"dan.DAN": "no labelled rows"}
    (ranked,) = result.ranking
    assert (ranked.place, ranked.tier) == (1, "Good")
    frame = result.to_frame()
    assert list(frame["detector"]) == [ECHO, "dan.DAN"]
    assert frame.loc[0, ["tp", "fp", "fn", "tn"]].tolist() == [20, 9, 6, 24]
    assert frame.loc[1, "reason"] == "no labelled rows"
    assert (result.metadata.random_seed, result.metadata.eval_threshold) == (42, 0.5)


def test_summaries_are_ranked_and_compared_as_by_the_commands(tmp_path: Path) -> None:
    paths = []
    for name, counts in (("old", (40, 5, 10, 45)), ("new", (10, 5, 40, 45))):
        summary = summary_of({ECHO: counts})
        paths.append(write_summary(tmp_path / f"{name}.json", summary))
    (ranked,) = garak_tbsa.rank(paths[0])
    assert (ranked.measured.detector, ranked.tier) == (ECHO, "Excellent")
    (change,) = garak_tbsa.diff(*paths)
    assert (change.detector, change.block, change.kind.value) == (
        *(ECHO, "typical", "worse"),
    )


def test_labels_of_a_scan_are_weighed_as_the_command_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    report, _ = demo(tmp_path / "demo")
    labels = report.with_name("before.all_labels.csv")
    found = garak_tbsa.evaluate(report, labels=labels, detectors="mitigation")
    given = ("--data", report, "--labels", labels, "--detectors", "mitigation")
    assert json.loads(found.to_json()) == evaluated(tmp_path, *given)


def test_evaluate_takes_what_the_options_take(echoes: Path) -> None:
    rows = [
        {"said": "0.7 a", "bad": "yes"},
        {"said": "0.3 b", "bad": "yes"},
        {"said": "0.7 c", "bad": "no"},
        {"said": "0.1 d", "bad": "no"},
        {"said": "0.1 e", "bad": "no"},
    ]
    path = write_cells(echoes / "rows.csv", rows)
    given: dict[str, Any] = {
        "detectors": ECHO,
        "columns": {"output": "said", "label": "bad"},
        "label_values": {"yes": "hit", "no": "pass"},
    }
    result = garak_tbsa.evaluate(
        *([path],),
        **given,
        eval_threshold=0.2,
        min_samples=2,
        confidence=0.5,
        seed=3,
        balance_datasets=True,
    )
    document = json.loads(result.to_json())
    counts = document["results"][ECHO]["counts"]
    assert (counts["tp"], counts["fn"], counts["fp"] + counts["tn"]) == (2, 0, 2)
    made = document["metadata"]
    assert {name: made[name] for name in ("random_seed", "replicates")} == {
        "random_seed": 3,
        "replicates": 10_000,
    }
    assert (made["confidence"], made["min_samples"], made["eval_threshold"]) == (
        *(0.5, 2, 0.2),
    )
    assert made["balance_datasets"] is True
    assert "hit_f1_ci" in document["results"][ECHO]["metrics"]


def test_options_of_a_detector_come_from_python_or_a_file(tmp_path: Path) -> None:
    name = "base.TriggerListDetector"
    rows = [
        {"output": "I am PWNED", "label": "hit", "notes": {"triggers": ["pwned"]}},
    ]
    path = write_lines(tmp_path / f"{name}.jsonl", rows)
    options = {"base": {"TriggerListDetector": {"case_sensitive": True}}}
    for given, found in ((None, 1), (options, 0)):
        result = garak_tbsa.evaluate(path, detector_options=given)
        counts = result.detectors[name].counts
        assert counts is not None
        assert (counts.tp, counts.fn) == (found, 1 - found)
    file = tmp_path / "options.json"
    file.write_text(json.dumps(options))
    config = tmp_path / "garak.json"
    config.write_text(json.dumps({"plugins": {"detectors": options}}))
    for option, place in (("--detector-options", file), ("--config", config)):
        summary = evaluated(tmp_path, "--data", path, option, place)
        assert summary["results"][name]["counts"]["fn"] == 1
    result = garak_tbsa.evaluate(path, config=config)
    assert json.loads(result.to_json())["results"][name]["counts"]["fn"] == 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed"),
    ({"min_samples": 0}, "min_samples"),
    ({"jobs": 0}, "jobs"),
    ({"eval_threshold": 1.5}, "eval_threshold"),
    ({"confidence": 1.0}, "confidence"),
    ({"confidence": "high"}, "confidence"),
    ({"label_values": {"1": "bad"}}, "label_values"),
    ({"detectors": "dan.DANN"}, "dan.DANN"),
    ({"preset": "nosuch"}, "nosuch"),
    ({"config": "nosuch.yaml"}, "nosuch.yaml"),
    ({"data": "nosuch.jsonl"}, "nosuch.jsonl"),
    ({"data": 3}, "data"),
]


def test_a_wrong_argument_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "dan.DAN.jsonl", [{"output": "x", "label": "hit"}])
    for arguments, name in WRONG:
        with pytest.raises(garak_tbsa.GarakTbsaError) as caught:
            garak_tbsa.evaluate(**({"data": path} | arguments))
        assert re.search(rf"\b{name}\b", str(caught.value)), arguments
        assert "\n" not in str(caught.value)


def test_notebooks_show_hostile_text_as_text(tmp_path: Path) -> None:
    """Names and reasons of others are neither markup nor a script."""
    summary = tmp_path / "s.json"
    results = {f"a.{HOSTILE}": {"metrics": measures(8, 2, 2, 8)}}
    errors = [{"detector": f"b.{HOSTILE}", "reason": HOSTILE}]
    summary.write_text(json.dumps({"results": results, "metadata": {"errors": errors}}))
    facts = PairFacts(probe=f"dan.{HOSTILE}", detector=HOSTILE, passed=4, total=8)
    report = write_scan(tmp_path / "x.report.jsonl", [facts])
    rows = [answer(facts, n, "pass", rater=HOSTILE) for n in range(8)]
    rows.append(answer(facts, 0, "pass", attempt=HOSTILE))
    labels = write_lines(tmp_path / "x.jsonl", rows)
    for result in (
        garak_tbsa.load_summary(summary),
        garak_tbsa.audit(report, labels=labels),
    ):
        shown = result._repr_html_()
        tags = Page(shown)
        assert not set(tags.elements) & {"script", "img", "a", "iframe", "link", "form"}
        assert not {name for name in tags.attributes if name.startswith("on")}
        assert "&lt;script&gt;" in shown
        for text in (shown, repr(result), str(result)):
            assert not set("\x1b\u202e") & set(text)
            assert "<script>" not in text or text != shown
        if hasattr(result, "_repr_markdown_"):
            markdown = result._repr_markdown_()
            assert "<script>" not in markdown
            assert "](javascript:" not in markdown


def test_what_is_shown_says_what_was_measured(echoes: Path) -> None:
    path = write_lines(echoes / "rows.jsonl", echo_rows(8, 2, 2, 8, detector=ECHO))
    result = garak_tbsa.evaluate(path, detectors=f"{ECHO},dan.DAN")
    assert "1 detector measured, 1 not evaluated" in repr(result)
    shown = result._repr_html_()
    for told in (ECHO, "0.80", "Good", "dan.DAN: no labelled rows"):
        assert told in shown
    for heading in (
        *("place", "detector", "F1 (95 %)", "sensitivity", "specificity", "flag all"),
        *("hits", "real", "written", "not stated", "passes", "tier"),
    ):
        assert heading in shown
