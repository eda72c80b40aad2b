# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every result shows: one line, a harmless fragment, a table, a chart."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib
import pandas
import pytest
from matplotlib import pyplot

import garak_tbsa as tbsa
from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.results.result import (
    NotInstalledError,
    Result,
    Table,
    fragment,
    label,
    percent,
    range_text,
)
from tests.demo_scans import AFTER, BEFORE, copied_to
from tests.gold import FOLDER
from tests.page_parser import Page

HOSTILE = "<script>alert(1)</script>$x$\x1b[31m\u202e\n"
HARMLESS = {"div", "p", "strong", "small", "table", "thead", "tbody", "tr", "th", "td"}
KINDS = ("score", "compare", "history", "audit", "metrics")
Results = dict[str, Result]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    demo = copied_to(tmp_path_factory.mktemp("demo"))
    before, after = demo / BEFORE, demo / AFTER
    return {
        "score": tbsa.score(before, fail_under=5),
        "compare": tbsa.compare(before, after, replicates=200),
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
        "compare": tbsa.compare(report, report, tiers=tiers, force=True, replicates=50),
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
    for result in (results[kind], hostile[kind]):
        source = result._repr_html_()
        tags = Page(source)
        assert set(tags.elements) <= HARMLESS
        assert tags.attributes == {"class"}
        assert "mathjax_ignore" in source
        assert is_plain(source)
    assert "&lt;script&gt;" in hostile[kind]._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_repr_is_one_short_line(kind: str, results: Results, hostile: Results) -> None:
    for result in (results[kind], hostile[kind]):
        assert repr(result).isprintable()
        assert len(repr(result)) < 600
    assert len(repr(results[kind])) < 220


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_has_typed_columns_and_no_text_in_place_of_a_number(
    kind: str, results: Results, hostile: Results
) -> None:
    for result in (results[kind], hostile[kind]):
        frame = result.to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert len(frame)
        kinds = {str(dtype) for dtype in frame.dtypes}
        assert kinds <= {"string", "Int64", "Float64", "boolean"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_drawn_whatever_the_names_are(
    kind: str, results: Results, hostile: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    matplotlib.use("Agg")
    # fonts lack some of what is escaped; a chart without a sign is no failure
    for result in (results[kind], hostile[kind]):
        ax = result.plot()
        ax.figure.canvas.draw()
        given = pyplot.subplots()[1]
        assert result.plot(given) is given
        pyplot.close("all")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("package", "method"), [("pandas", "to_frame"), ("matplotlib", "plot")]
)
def test_without_a_package_one_line_says_which(
    kind: str,
    package: str,
    method: str,
    results: Results,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotInstalledError) as caught:
        getattr(results[kind], method)()
    assert isinstance(caught.value, GarakTbsaError)
    assert isinstance(caught.value, ImportError)
    assert str(caught.value) == (
        f"{method}() needs {package}, which is not installed; `pip install {package}`"
    )


def test_every_pair_is_in_the_table_of_a_score(tmp_path: Path) -> None:
    found = tbsa.score(FOLDER / "no-digest.report.jsonl")
    frame = found.to_frame()
    assert len(frame) == len(found.pairs) + len(found.left_out)
    reasons = frame["reason"].notna()
    assert reasons.sum() == len(found.left_out)
    assert frame["grade"].isna().equals(reasons)


def test_the_other_tables_of_an_audit(results: Results) -> None:
    audited = results["audit"]
    assert isinstance(audited, tbsa.AuditResult)
    assert len(audited.to_frame("detectors")) == len(audited.detectors)
    assert len(audited.to_frame("next")) == len(audited.next)


def test_pairs_are_drawn_where_there_is_no_distribution() -> None:
    matplotlib.use("Agg")
    found = tbsa.score(FOLDER / "garak-0.17.1.report.jsonl", interval=False)
    assert isinstance(found.interval, tbsa.Unavailable)
    assert found.plot().get_xlabel() == "grade (DEFCON)"
    assert "no range: it was not asked for" in found._repr_html_()
    known = tbsa.score(FOLDER / "garak-0.17.1.report.jsonl")
    assert known.plot().get_xlabel() == "TBSA of a repeat of this scan"
    assert known.plot(kind="pairs").get_xlabel() == "grade (DEFCON)"
    pyplot.close("all")


def test_words_of_a_fragment() -> None:
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1, None)] == [
        "0 %",
        "< 1 %",
        "50 %",
        "> 99 %",
        "100 %",
        None,
    ]
    assert range_text((1.0, 2.5)) == "1.0 to 2.5"
    many = Table(("n",), [(number,) for number in range(25)], "pairs")
    shown = fragment("<b>", [many, Table(("none",), [])])
    assert "<p>5 more pairs</p>" in shown
    assert "none" not in shown
    assert "<strong>&lt;b&gt;</strong>" in shown
    assert label("a\n$b") == "a \\$b"
