# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every result shows: one line, a harmless fragment, a table."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pandas
import pytest

import garak_tbsa as tbsa
from tests.behaviour.product import GOLD
from tests.demo_scans import AFTER, BEFORE, copied_to
from tests.page_parser import Page

HOSTILE = "<script>alert(1)</script>$x$\x1b[31m\u202e\n"
KINDS = ("score", "compare", "history", "audit", "metrics")
Results = dict[str, Any]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    demo = copied_to(tmp_path_factory.mktemp("demo"))
    before, after = demo / BEFORE, demo / AFTER
    return {
        "score": tbsa.score(before, fail_under=5),
        "compare": tbsa.compare(before, after),
        "history": tbsa.history(demo),
        "audit": tbsa.audit(before, fail_under=5),
        "metrics": tbsa.load_summary(),
    }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The same of a report in which every name that may be is hostile."""
    folder = tmp_path_factory.mktemp("<b>hostile")
    demo = copied_to(folder)
    text = (demo / BEFORE).read_text("utf-8")
    name = json.dumps(HOSTILE)[1:-1]
    for innocent in ("misleading.FalseAssertion", "tools.real_model.target#respond"):
        assert innocent in text
        text = text.replace(innocent, innocent.partition(".")[0] + "." + name)
    report = folder / "<img src=x>.report.jsonl"
    report.write_text(text, "utf-8")
    tiers = {"misleading." + HOSTILE: 2}
    summary = {
        "results": {HOSTILE: {"metrics": {"hit_f1": 0.5}}},
        "metadata": {"errors": [{"detector": HOSTILE, "reason": HOSTILE}]},
    }
    (folder / "summary.json").write_text(json.dumps(summary), "utf-8")
    return {
        "score": tbsa.score(report, tiers=tiers),
        "compare": tbsa.compare(report, report, tiers=tiers, force=True),
        "history": tbsa.history(report, tiers=tiers),
        "audit": tbsa.audit(report, demo / "before.labels.jsonl", tiers=tiers),
        "metrics": tbsa.load_summary(folder / "summary.json"),
    }


def is_plain(text: str) -> bool:
    return text.replace("\n", "").isprintable()


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_gets_tables_and_nothing_that_runs_or_loads(
    kind: str, results: Results, hostile: Results
) -> None:
    """Nor does a line or a table fail at any name."""
    for result in (results[kind], hostile[kind]):
        source = result._repr_html_()
        tags = Page(source)
        assert set(tags.elements) == {"pre"}
        assert tags.attributes == {"class"}
        assert 'class="tex2jax_ignore mathjax_ignore garak-tbsa"' in source
        assert is_plain(source)
        assert repr(result).isprintable()
        assert len(repr(result)) < (220 if result is results[kind] else 600)
        frame = result.to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert len(frame)
        kinds = {str(dtype) for dtype in frame.dtypes}
        assert kinds <= {"string", "Int64", "Float64", "boolean"}
    assert "&lt;script&gt;" in hostile[kind]._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_without_pandas_one_line_says_so(
    kind: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of ours that is one of imports too."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(tbsa.GarakTbsaError) as caught:
        results[kind].to_frame()
    assert isinstance(caught.value, ImportError)
    assert str(caught.value) == (
        "to_frame() needs pandas, which is not installed; `pip install pandas`"
    )


def test_the_other_tables_of_an_audit(results: Results) -> None:
    """How right detectors are, and what to label next."""
    audited = results["audit"]
    assert len(audited.to_frame("detectors")) == len(audited.detectors)
    assert len(audited.to_frame("next")) == len(audited.next)


def test_a_notebook_shows_what_the_command_prints(results: Results) -> None:
    for kind, told in {
        "score": "TBSA: 2.3",
        "compare": "after  TBSA 2.4",
        "history": "worse than before.report.jsonl, 2.4 after 2.3",
        "audit": "by 60 labels",
        "metrics": "place  detector",
    }.items():
        assert told in results[kind]._repr_html_()
    found = tbsa.score(GOLD / "garak-0.17.1.report.jsonl", interval=False)
    assert "repeat" not in found._repr_html_()


def test_one_line_of_a_score_has_its_worst_pair(results: Results) -> None:
    pairs = {pair.name: pair for pair in results["score"].pairs}
    (worst,) = re.findall(r"worst (\S+) at 1,", repr(results["score"]))
    assert pairs[worst].grade == 1
