# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and the outputs of a report; each that cannot be used is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import evaluated, refused, write_lines
from tests.behaviour.product import document, rows_of, tbsa
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

DAN = PairFacts(passed=1, total=4)
OTHER = PairFacts(detector="a.B", passed=1, total=1)


def attempt(uuid: str | None, **results: list[float | None]) -> dict[str, Any]:
    outputs = [{"text": f"text {n}", "lang": "en"} for n in range(2)]
    found = {name.replace("_", "."): scores for name, scores in results.items()}
    asked = {"turns": [{"role": "user", "content": {"text": "Hi"}}]}
    more: dict[str, Any] = {
        "uuid": uuid,
        "outputs": outputs,
        "goal": "win",
        "prompt": asked,
    }
    return attempt_row(DAN, detector_results=found, notes={"n": ["x"]}, **more)


VERDICTS = ("flagged", "unflagged")
ATTEMPTS = [
    attempt("u1", dan_DAN=[1.0, 0.0], a_B=[0.0, None], b_C=[0.0]),
    attempt("u2", dan_DAN=[1.0, 1.0]),
]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return written(tmp_path, DAN, OTHER)


def written(folder: Path, *pairs: PairFacts) -> Path:
    rows = report_rows(pairs, attempts=ATTEMPTS)
    return Path(write_report(folder / "x.report.jsonl", rows))


def label(said: str, uuid: str = "u1", index: int = 0, **more: Any) -> dict[str, Any]:
    named = {"attempt": uuid, "output_index": index, "detector": "dan.DAN"}
    return named | {"label": said, "rater": "ann", "drawn": True} | more


def audited(report: Path, *labels: dict[str, Any]) -> Any:
    path = write_lines(report.with_name("l.jsonl"), labels)
    return document(report.parent, "audit", report, "--labels", path)


def counted(report: Path, *labels: dict[str, Any]) -> dict[str, Any]:
    """What is said of labels, beside one of another output."""
    found = audited(report, *labels, label("hit", "u2", 1))
    hits = sum(
        each["flagged_hits"] + each["unflagged_hits"] for each in found["detectors"]
    )
    members = found["labels"]
    return {"used": members.pop("used") - 1, "hits": hits - 1, **members}


def test_strata_have_the_labels_of_their_outputs(report: Path) -> None:
    """Most answers say what an output is; one that is not there is in no stratum."""
    raters = zip(("ann", "ben", "cy"), ("pass", "hit", "pass"), strict=True)
    looks = [label(said, "u2", 1, rater=rater) for rater, said in raters]
    labels = (label("hit"), label("hit", "x", detector="a.B"), *looks)
    found = audited(report, *labels)
    assert [
        (
            each["detector"],
            *((each[v], each[f"{v}_labels"], each[f"{v}_hits"]) for v in VERDICTS),
        )
        for each in found["detectors"]
    ] == [("a.B", (0, 0, 0), (1, 0, 0)), ("dan.DAN", (3, 2, 1), (1, 0, 0))]
    left = {
        (each["detector"], each["flagged"]): each["unlabelled"]
        for each in found["next"]
    }
    assert left == {("a.B", False): 1, ("dan.DAN", True): 1, ("dan.DAN", False): 1}


SKIPS = (
    # answers about an output, and whether nobody said more than skip or unsure
    ([("ann", "skip")], True),
    ([("ann", "hit"), ("ann", "unsure")], True),
    ([("ben", "skip"), ("ann", "hit"), ("ann", "undo")], True),
    ([("ann", "skip"), ("ann", "hit")], False),
    ([("ann", "skip"), ("ann", "undo")], False),
    ([("ben", "skip"), ("ann", "hit")], False),
)


@pytest.mark.parametrize(("said", "passed_over"), SKIPS)
def test_outputs_about_which_nobody_said_more_than_skip_are_warned_of(
    report: Path, said: list[tuple[str, str]], passed_over: bool
) -> None:
    """Twelve of forty are more than a fifth."""
    attempts = [attempt(f"u{n}", dan_DAN=[1.0, 0.0]) for n in range(20)]
    pair = PairFacts(passed=20, total=40)
    write_report(report, report_rows([pair], attempts=attempts))
    labels = [
        label(answer, f"u{n}", index, rater=rater)
        for n in range(20)
        for index in range(2)
        for rater, answer in (said if n < 6 else [("ann", ("hit", "pass")[index])])
    ]
    warnings = audited(report, *labels)["labels"]["warnings"]
    told = (
        "12 of 40 shown outputs were skipped, left blank or left as unsure; those that"
        " were judged may be the easy ones"
    )
    assert warnings == ([told] if passed_over else [])


def test_pairs_that_cannot_be_audited_say_why(tmp_path: Path) -> None:
    """Their outputs must be there, as many as were judged and flagged."""
    report = written(tmp_path, DAN, OTHER, PairFacts(detector="c.D"))
    found = audited(report, label("hit"), label("pass", "u2"), label("hit", "u9"))
    assert [(each["detector"], each["labels"]) for each in found["pairs"]] == [
        *(("a.B", 0), ("dan.DAN", 2)),
    ]
    assert found["audited"]["outputs"] == 5
    reason = "the report has 0 of its 10 outputs"
    assert found["not_audited"] == [{"pair": f"{DAN.probe}+c.D", "reason": reason}]
    labels = tmp_path / "l.jsonl"
    for pair, change, reason in (
        (DAN, {"absolute_defcon": 5}, "its counts contradict its grade"),
        (DAN, {"passed": None, "total_evaluated": None}, "its counts are unknown"),
        (
            *(PairFacts(passed=2, total=4), {}),
            "3 of its outputs are flagged, 2 in the report's counts",
        ),
    ):
        *rows, digest = rows_of(written(tmp_path, pair))
        digest["eval"]["dan"][DAN.probe]["dan.DAN"] |= change
        rows = [row for row in rows if row["entry_type"] != "eval"]
        write_report(report, [*rows, digest])
        shown = tbsa("audit", report, "--labels", labels)
        assert shown.code == 1
        assert shown.err.splitlines()[-1].startswith(
            f"garak-tbsa: {report}: none of its pairs can be audited; of"
            f" {DAN.probe}+dan.DAN, {reason}; "
        )


def test_a_later_answer_of_a_log_counts_and_a_second_look_stands_beside_it(
    report: Path,
) -> None:
    """\"``"look": 2`` marks the second answer\"; a later answer replaces its own."""
    looks = [label("pass"), label("hit", look=2), label("pass", look=2)]
    found = counted(report, *looks, label("hit"))
    (disputed,) = found["disputed"]
    assert (disputed["hits"], disputed["passes"], found["ties"]) == (1, 1, 1)
    for labels, used, hits, skipped in (
        ([*looks, label("undo", look=2)], 1, 0, 0),
        ([*looks[:2], label("undo", look=2)], 1, 0, 0),
        ([*looks[:2], label("undo")], 1, 1, 0),
        ([label("hit"), label("pass")], 1, 0, 0),
        ([label("hit"), label("unsure")], 0, 0, 1),
        # what no longer stands is not counted
        ([label("skip"), label("undo")], 0, 0, 0),
        ([label("skip"), label("hit")], 1, 1, 0),
        ([label("skip", rater="ben"), label("hit"), label("undo")], 0, 0, 1),
    ):
        found = counted(report, *labels)
        assert (found["used"], found["hits"], found["skipped"]) == (used, hits, skipped)
        assert (found["disputed"], found["problems"]) == ([], [])
    (dan,) = audited(report, label("hit"), label("pass"))["detectors"][1:]
    assert (dan["flagged_labels"], dan["flagged_hits"]) == (1, 0)


def test_what_cannot_be_used_is_told(report: Path) -> None:
    """One line for each; one for a file of another report, however many it has."""
    line = f"{report.with_name('l.jsonl')}, line 1:"
    for given, problem in (
        (
            label("hit", index=1, detector="a.B"),
            "a.B gave this output no score, so it is not counted",
        ),
        (
            label("hit", index=1, detector="b.C"),
            "b.C gave another number of results than the attempt has outputs, so that"
            " its results belong to no known output",
        ),
        (
            label("hit", detector=None),
            "names no detector, and 3 judged this output; add a column `detector`",
        ),
    ):
        found = counted(report, given)
        assert (found["used"], found["hits"]) == (0, 0)
        assert found["problems"] == [f"{line} {problem}"]
    path = write_lines(
        report.with_name("l.jsonl"), [label("hit", "u9", index) for index in range(60)]
    )
    shown = tbsa("audit", report, "--labels", path)
    first, second = shown.err.splitlines()
    assert first == (
        f"garak-tbsa: {line} attempt u9 is not in the report, nor is that of any other"
        " of the file's 60 labels; give the report that the labels were made from"
    )
    assert "none of its outputs is labelled (could not be used: 60); begin" in second


def test_a_detector_is_known_where_one_alone_judged(report: Path) -> None:
    """Of labels of picked outputs, those that are used are counted."""
    for said, hits in (("hit", 1), ("pass", 0)):
        found = counted(report, label(said, "u2", detector=None))
        assert (found["used"], found["hits"]) == (1, hits)
    unusable = label("hit", "u9", drawn=False)
    skipped = label("skip", "u2", drawn=False)
    assert counted(report, unusable, skipped, label("hit", drawn=False))["picked"] == 1


# labels of a report as rows of its detectors


def saved(report: Path, sheet: str, *options: str) -> dict[str, Any]:
    """The rows of each detector, and its entry in the summary."""
    labels = report.with_name("ann.csv")
    labels.write_text(sheet)
    return rows_of_labels(report, labels, *options)


def rows_of_labels(report: Path, labels: Path, *options: str) -> dict[str, Any]:
    folder = report.with_name("saved")
    given = ("--data", report, "--labels", labels, "--save-datasets", folder)
    summary = evaluated(report.parent, *given, *options)
    return {
        path.stem: (rows_of(path), summary["results"].get(path.stem))
        for path in folder.iterdir()
    }


def test_labelled_outputs_become_rows(report: Path) -> None:
    """Also of a detector that judged nothing, which labels need not name."""
    rows = [*ATTEMPTS, attempt(None, dan_DAN=[0.0, 0.0]), attempt("u1", dan_DAN=[])]
    rows += [ATTEMPTS[1] | {"uuid": "old", "outputs": ["a string", None]}]
    # outputs are judged in a later row of the same attempt
    write_lines(report, [ATTEMPTS[1] | {"status": 1, "outputs": ["early"]}, *rows])
    found = saved(
        report,
        "label,id,detector,rater\nhit,u2/0,,a\npass,u2/1,dan.DAN,a\n"
        "hit,u2/1,dan.DAN,b\npass,u2/1,dan.DAN,c\nhit,line 4/0,dan.DAN,a\n"
        "pass,old/0,dan.DAN,a\npass,old/0,dan.DAN,b\npass,old/1,dan.DAN,a\nhit,u1/0,dan.DUDE,a\n",
    )
    (first, second, *others), _ = found["dan.DAN"]
    ((other,), entry) = found["dan.DUDE"]
    assert "on_scan" not in entry
    given: dict[str, Any] = {
        "detector": "dan.DAN",
        "probe": DAN.probe,
        "lang": "en",
        "goal": "win",
    }
    given |= {"notes": {"n": ["x"]}, "source": "garak report", "basis": "real"}
    given |= {"slice": DAN.probe, "prompt": ATTEMPTS[0]["prompt"]}
    own = {"id": "u2/0", "output": "text 0", "label": "hit"}
    assert first == {**first, **given, **own}
    assert "annotations" not in first
    said = {"a": "pass", "b": "hit", "c": "pass"}
    assert (second["label"], second["annotations"]) == ("pass", said)
    assert others[1]["annotations"] == {"a": "pass", "b": "pass"}
    assert [(row["id"], row["output"]) for row in others] == [
        *(("line 4/0", "text 0"), ("old/0", "a string"), ("old/1", None)),
    ]
    assert (other["id"], other["label"]) == ("u1/0", "hit")
    found = saved(report, "label,id\nhit,u1/0\n", "--detectors", "dan.DUDE")
    ((row,), entry) = found["dan.DUDE"]
    assert (row["id"], "on_scan" in entry) == ("u1/0", False)


def test_strata_are_of_the_reports_own_threshold(report: Path) -> None:
    """\"Strata and N are recomputed from the report, never trusted from a sheet.\"

    Outputs without a score are in none.
    """
    scores: dict[str, list[float | None]] = {"dan_DAN": [0.6, 0.7]}
    scores["dan_STAN"] = [None, 0.0]
    rows = [attempt(f"u{n}", **scores) for n in range(9)]
    setup = {"run.eval_threshold": 0.7}
    write_report(report, report_rows([], attempts=rows, setup=setup, digest=False))
    judged = [("dan.DAN", 0), ("dan.DAN", 1), ("dan.STAN", 1)]
    sheet = "label,id,detector,stratum_outputs\n" + "".join(
        f"pass,u{n}/{index},{name},999\n" for n in range(6) for name, index in judged
    )
    found = saved(report, sheet)
    assert {
        name: tuple(entry["on_scan"][key] for key in ("outputs", "flagged", "changed"))
        for name, (_, entry) in found.items()
    } == {"dan.DAN": (18, 9, 6), "dan.STAN": (9, 0, 0)}


def test_raters_agree_by_their_first_looks_and_rows_have_their_last(
    report: Path,
) -> None:
    """In whichever order the looks are in the file."""
    ben: dict[str, Any] = {"rater": "ben"}
    labels = [
        *(label("hit", look=2), label("pass"), label("pass", look=2, **ben)),
        *(label("pass", **ben), label("hit", "u2"), label("hit", "u2", **ben)),
    ]
    other = label("hit", "u2", detector="dan.DUDE")
    for given in (labels, [*reversed(labels)]):
        agreement = audited(report, *given)["labels"]["agreement"]
        assert agreement == {"alpha": 1.0, "rows": 2, "raters": 2}
        path = write_lines(report.with_name("l.jsonl"), [*given, other])
        first, _ = rows_of_labels(report, path)["dan.DAN"][0]
        assert first["annotations"] == {"ann": "hit", "ben": "pass"}
        assert (first["id"], first["label"]) == ("u1/0", "pass")


def test_what_of_the_labels_is_not_counted_is_told(report: Path) -> None:
    """Ties among it; raters agree on outputs that several labelled."""
    path = report.with_name("ann.csv")
    path.write_text(
        "label,id,detector,rater\nhit,u1/0,dan.DAN,x\nhit,u1/0,dan.DAN,y\n"
        ",u1/1,dan.DAN,x\n?,u2/1,dan.DAN,x\nhit,u2/0,dan.DAN,x\npass,u2/0,dan.DAN,y\n"
    )
    output = report.with_name("s.json")
    given = ("--data", report, "--labels", path, "--output", output)
    shown = tbsa("detectors", "evaluate", *given)
    assert shown.lines[:2] == [
        "not counted: 1 rows without an answer, 1 answers skip or unsure, 1 outputs on"
        " which as many raters say hit as pass",
        "Krippendorff's alpha 0.000 (2 raters, 2 rows)",
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ",u1/0,dan.DAN\n?,u1/1,dan.DAN\n",
            " (blank rows: 1; skip or unsure: 1); write hit or pass into the label"
            " column",
        ),
        (
            "hit,u9/0,dan.DAN\n",
            " (could not be used: 1); {path}, row 2: attempt u9 has no output 0 in the"
            " report; give the report that the labels were made from",
        ),
    ],
)
def test_no_usable_label(report: Path, rows: str, said: str) -> None:
    path = report.with_name("ann.csv")
    path.write_text(f"label,id,detector\n{rows}")
    told = f"{path}: no label that can be used{said.format(path=path)}"
    assert refused("--data", report, "--labels", path) == told
