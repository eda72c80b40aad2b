# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate``: counts, measures, intervals, and what is beside them."""

from __future__ import annotations

import copy
import hashlib
import json
import platform
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import garak
import jsonschema
import numpy
import pytest
from garak.analyze.detector_metrics import DetectorMetrics

from tests.behaviour.labelled import (
    ECHO,
    Counts,
    counts_of,
    echo_row,
    echo_rows,
    evaluated,
    measured,
    measures,
    refused,
    summary_of,
    write_lines,
)
from tests.behaviour.product import document, rows_of, tbsa

KINDS = ("real", "written", "own_words", "not_stated")

pytestmark = pytest.mark.usefixtures("echoes")


# measures from counts

LITERALS: dict[Counts, dict[str, float | None]] = {
    # by hand: 10 of 15 and 10 of 15, so every measure is 2/3
    (10, 5, 5, 10): dict.fromkeys(measures(1, 1, 1, 1), 2 / 3),
    (3, 0, 0, 4): dict.fromkeys(measures(1, 1, 1, 1), 1.0),
    # always wrong
    (0, 4, 5, 0): dict.fromkeys(measures(1, 1, 1, 1), 0.0),
    # no labelled hits: recall and F1 are undefined, and no predicted one is right
    (0, 3, 0, 4): {
        "accuracy": 4 / 7,
        "hit_precision": 0.0,
        **dict.fromkeys(("hit_recall", "hit_f1", "hit_sensitivity")),
        "hit_specificity": 4 / 7,
        "pass_precision": 1.0,
        "pass_recall": 4 / 7,
        "pass_f1": 8 / 11,
    },
    # no predicted hits; no labelled passes
    (0, 0, 3, 4): measures(0, 0, 3, 4),
    (3, 0, 2, 0): measures(3, 0, 2, 0),
}


def test_every_measure_follows_from_the_counts(tmp_path: Path) -> None:
    for counts, expected in LITERALS.items():
        assert measures(*counts) == pytest.approx(expected)
        assert measured(tmp_path, counts)["metrics"] == pytest.approx(expected)


def test_the_whole_summary_of_a_small_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """garak's documented structure; what we add stands beside it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    rows = [
        *echo_rows(3, 1, 2, 4),
        echo_row("none", "hit", "n1"),
        echo_row("none", "pass", "n2"),
        echo_row("boom", "pass", "b1"),
        echo_row("1", "hit", "s1", why="disguised"),
        echo_row("0", "hit", "s2", why="disguised"),
        echo_row("none", "pass", "s3", why="looks alike"),
    ]
    rows.append(echo_row("1", "hit", "k", detector="echoes:NoKey"))
    path = write_lines(
        tmp_path / "rows.jsonl", [{"detector": ECHO} | row for row in rows]
    )
    summary = evaluated(
        tmp_path,
        *("--data", path, "--detectors", f"{ECHO},echoes:NoKey"),
        *("--seed", 7, "--confidence", 0.9),
        *("--min-samples", 60, "--eval-threshold", 0.25),
    )
    assert summary == {
        "results": {
            ECHO: {
                "metrics": pytest.approx(measures(3, 1, 2, 4)),
                "applied": "rests on 5 hits and 5 passes, at least 20 of each needed",
                "counts": {"tp": 3, "fp": 1, "fn": 2, "tn": 4},
                "basis": {
                    "hits": dict.fromkeys(KINDS, 0) | {"not_stated": 6},
                    "passes": dict.fromkeys(KINDS, 0) | {"not_stated": 7},
                    "responses": 13,
                    "prompts": 1,
                    "real_prompts": 0,
                    "models": [],
                },
                "stress": {
                    "hits_found": 1,
                    "hits": 2,
                    # Beta(1.5, 1.5), its 5 % and 95 % points
                    "hits_found_share": {
                        "share": 0.5,
                        "jeffreys_lower": pytest.approx(0.097308, abs=2e-6),
                        "jeffreys_upper": pytest.approx(0.902692, abs=2e-6),
                        "jeffreys_width": pytest.approx(0.805384, abs=4e-6),
                    },
                    "passes_left_alone": 0,
                    "passes": 0,
                    "passes_left_alone_share": None,
                    "unavailable": {
                        "passes_left_alone_share": (
                            "no stress row labelled pass got a score"
                        )
                    },
                    "missing": {"none": 1},
                },
                "rows": {
                    "labelled": 13,
                    "scored": 10,
                    "missing": {"exception": 1, "none": 2},
                    "missing_details": {
                        "exception": "ValueError: no score in 'boom b1'"
                    },
                },
                "data": [
                    {
                        "file": "rows.jsonl",
                        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                    }
                ],
            }
        },
        "metadata": {
            "evaluation_date": "2023-11-14T22:13:20.000000",
            "random_seed": 7,
            "balance_datasets": False,
            "save_datasets": False,
            "num_detectors_evaluated": 1,
            "errors": [
                {
                    "detector": "echoes:NoKey",
                    "reason": "RuntimeError: put a key into ECHO_KEY",
                }
            ],
            "format_version": 3,
            "versions": {
                "garak": version("garak"),
                "garak-tbsa": version("garak-tbsa"),
                "numpy": numpy.__version__,
                "python": ".".join(platform.python_version_tuple()[:2]),
            },
            "eval_threshold": 0.25,
            "replicates": 10_000,
            "confidence": 0.9,
            "min_samples": 60,
            "metrics_rows": "typical",
        },
    }
    assert list(summary) == ["results", "metadata"]
    assert list(summary["metadata"])[:6] == DOCUMENTED["SummaryMetadata"]
    assert list(summary["results"][ECHO]["metrics"]) == list(measures(1, 1, 1, 1))
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    summary = evaluated(tmp_path, "--data", path, "--detectors", ECHO)
    assert summary["metadata"]["evaluation_date"] > "2024"


DOCUMENTED = {
    "SummaryMetadata": [
        *("evaluation_date", "random_seed", "balance_datasets", "save_datasets"),
        *("num_detectors_evaluated", "errors"),
    ],
    "Result": ["metrics"],
    "F1Interval": ["mean", "ci_lower", "ci_upper", "ci_width", "n_samples"],
}
"""What garak documents of a summary, in its order."""


def test_the_schema_fits_ours_and_garaks_own_and_says_which_keys_are_ours() -> None:
    schema = json.loads(
        (files("garak_tbsa") / "schemas" / "summary.schema.json").read_text("utf-8")
    )
    definitions = schema["$defs"]
    for part, documented in DOCUMENTED.items():
        for name, key in definitions[part]["properties"].items():
            is_ours = str(key.get("description", "")).startswith("of garak-tbsa")
            assert is_ours == (name not in documented), name
    folder = Path(garak.__file__).parent / "data" / "detectors_eval"
    own = json.loads((folder / "detector_metrics_summary.json").read_text())
    ours = summary_of({"a.A": (1, 1, 1, 1)}, save_datasets=False)
    for summary in (own, ours):
        jsonschema.validate(summary, schema)
        for key in ("hit_f1", "accuracy"):
            broken = copy.deepcopy(summary)
            del next(iter(broken["results"].values()))["metrics"][key]
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(broken, schema)
    ours["metadata"]["eval_threshold"] = 2.5  # which no reader takes either
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(ours, schema)


def test_hits_in_the_detectors_own_words_measure_no_sensitivity(
    tmp_path: Path,
) -> None:
    """They count for specificity, and show that the detector runs."""
    rows = [
        *echo_rows(3, 0, 1, 0, basis="own_words"),
        *echo_rows(0, 1, 0, 3, basis="real", model="small-1", prompt="Ask."),
    ]
    for number, row in enumerate(rows):
        row["id"] = str(number)
    # a model's are known by it, or by their basis
    del rows[-1]["model"]
    rows[-1]["prompt"] = "Ask more."
    path = write_lines(tmp_path / "rows.jsonl", rows)
    given = ("--data", path, "--detectors", ECHO)
    summary = evaluated(tmp_path, *given)
    found = summary["results"][ECHO]
    why = (
        "4 of 4 hits have words of the detector's own list, so that they say nothing of"
        " what it misses"
    )
    nothing = dict.fromkeys(measures(3, 1, 1, 3))
    told = {"pass_recall": 0.75, "hit_specificity": 0.75, "reason": why}
    assert found["metrics"] == nothing | told
    assert found["counts"] == {"tp": 3, "fp": 1, "fn": 1, "tn": 3}
    assert found["basis"] == {
        "hits": dict.fromkeys(KINDS, 0) | {"own_words": 4},
        "passes": dict.fromkeys(KINDS, 0) | {"real": 4},
        # two responses were given twice
        "responses": 6,
        "prompts": 3,
        "real_prompts": 2,
        "models": ["small-1"],
    }
    ranking = document(tmp_path, "detectors", "rank", tmp_path / "summary.json")
    assert (ranking["ranking"], ranking["unranked_because"]) == ([], {ECHO: why})
    assert evaluated(tmp_path, *given)["results"] == summary["results"]
    garaks = DetectorMetrics()
    garaks._data, garaks.metrics_loaded = summary, True
    assert garaks.get_detector_se_sp(ECHO) == (1.0, 1.0)


def test_rows_without_a_score_are_counted_for_who_looks(tmp_path: Path) -> None:
    rows = [
        *echo_rows(3, 1, 2, 4),
        echo_row("none", "pass", "n"),
        echo_row("boom", "pass", "b"),
        echo_row("1", "hit", "s", why="disguised"),
        echo_row("none", "hit", "t", why="disguised"),
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    given = ("--data", path, "--detectors", ECHO, "--output", tmp_path / "s.json")
    shown = tbsa("detectors", "evaluate", *given)
    header = next(line.split() for line in shown.lines if line.startswith("place "))
    assert [word for word in header if word in ("sensitivity", "specificity")] == [
        *("sensitivity", "specificity"),
    ]
    assert (
        f"  {ECHO}: of 14 outputs 1 made the detector raise, 2 got None (ValueError:"
        " no score in 'boom b')"
    ) in shown.lines


# the same again


def test_the_same_data_seed_and_date_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    rows = write_lines(tmp_path / "rows.jsonl", echo_rows(20, 9, 6, 24))
    texts = {}
    for name, seed in (("first", 42), ("again", 42), ("other", 43)):
        path = tmp_path / f"{name}.json"
        shown = tbsa(
            *("detectors", "evaluate", "--data", rows, "--detectors", ECHO),
            *("--output", path, "--seed", seed),
        )
        assert (shown.code, shown.err) == (0, "")
        assert shown.lines[0] == "1 detectors evaluated (1 Good), 0 not"
        assert shown.lines[-1] == f"written: {path}"
        texts[name] = path.read_text(encoding="utf-8")
    assert texts["first"] == texts["again"]
    first, other = json.loads(texts["first"]), json.loads(texts["other"])
    assert first["metadata"]["evaluation_date"] == "1970-01-01T00:00:00.000000"
    drawn = [each["results"][ECHO]["metrics"]["hit_f1_ci"] for each in (first, other)]
    assert drawn[0] != drawn[1]
    assert drawn[0]["mean"] == pytest.approx(drawn[1]["mean"], abs=4e-3)


# which score is a hit


def test_a_score_of_the_threshold_is_a_hit(tmp_path: Path) -> None:
    """0.5 unless another threshold is given, as in garak."""
    rows = [
        echo_row(score, label, f"{label}{score}")
        for label in ("hit", "pass")
        for score in ("1.0", "0.5", "0.49", "0.0")
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    given = ("--data", path, "--detectors", ECHO)
    assert counts_of(evaluated(tmp_path, *given)) == {ECHO: (2, 2, 2, 2)}
    found = {
        threshold: counts_of(evaluated(tmp_path, *given, "--eval-threshold", threshold))
        for threshold in ("0", "0.49", "0.5", "0.51", "1")
    }
    assert {threshold: each[ECHO] for threshold, each in found.items()} == {
        "0": (4, 4, 0, 0),
        "0.49": (3, 3, 1, 1),
        "0.5": (2, 2, 2, 2),
        "0.51": (1, 1, 3, 3),
        "1": (1, 1, 3, 3),
    }


def test_a_detector_that_cannot_run_is_an_error_and_the_rest_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    named = [
        *[echo_row("boom", "hit", f"b{n}", detector="echoes:Echo") for n in range(12)],
        *[echo_row("none", "pass", f"n{n}", detector="echoes:Louder") for n in (1, 2)],
        echo_row("none", "pass", "n3", detector="echoes:Silent", why="looks alike"),
        echo_row("1", "hit", "s", detector="echoes:Silent"),
        echo_row("1", "hit", "w", detector="echoes:Seen", why="disguised"),
        *[
            echo_row(score, "hit", f"w{n}", detector="echoes:Stressed", why="so")
            for n, score in enumerate(("1", "none", "none"))
        ],
        echo_row("1", "hit", "l", detector="echoes:Logs"),
        echo_row("1", "hit", "p", detector="perspective.Toxicity"),
        {"output": "[DAN] yes", "label": "hit", "detector": "dan.STAN"},
    ]
    path = write_lines(tmp_path / "rows.jsonl", named)
    own = ("Echo", "Louder", "Silent", "Seen", "Stressed", "Logs")
    others = ("dan.STAN", "dan.DUDE", "perspective.Toxicity")
    detectors = ",".join((*(f"echoes:{name}" for name in own), *others))
    summary = evaluated(tmp_path, "--data", path, "--detectors", detectors)
    assert counts_of(summary) == {"dan.STAN": (0, 0, 1, 0)}
    errors = {
        each["detector"]: each["reason"] for each in summary["metadata"]["errors"]
    }
    perspective = errors.pop("perspective.Toxicity")
    assert "PERSPECTIVE_API_KEY" in perspective
    assert errors == {
        **{
            f"echoes:{name}": (
                f"no typical rows: each of the {count} rows has a `why`, and such"
                " stress rows make no metrics"
            )
            for name, count in (("Seen", 1), ("Stressed", 3))
        },
        "echoes:Logs": (
            "none of 1 rows got a score (the detector returned None: no score:"
            " KeyError: 'model')"
        ),
        "dan.DUDE": "no labelled rows",
        "echoes:Echo": (
            "none of 12 rows got a score (not tried after exceptions: ValueError: no"
            " score in 'boom b0')"
        ),
        "echoes:Louder": "none of 2 rows got a score (the detector returned None)",
        "echoes:Silent": (
            "none of 1 typical rows got a score (the detector returned nothing)"
        ),
    }


def test_where_no_detector_could_be_evaluated_the_exit_code_is_1(
    tmp_path: Path,
) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [echo_row("none", "hit", "a")])
    output = tmp_path / "out.json"
    given = ("--data", path, "--detectors", ECHO, "--output", output)
    assert refused(*given, "-q") == (
        f"{output}: no detector could be evaluated; metadata.errors says why for each"
    )
    summary = json.loads(output.read_text())
    assert summary["results"] == {}
    assert summary["metadata"]["num_detectors_evaluated"] == 0


# what is drawn and what is kept


def test_balancing_draws_as_many_of_the_more_frequent_label(tmp_path: Path) -> None:
    """Stress rows are not balanced; the seed decides which rows stay."""
    rows = [
        *echo_rows(5, 20, 0, 20),
        *[echo_row("1", "pass", f"s{n}", why="looks alike") for n in range(3)],
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    drawn = set()
    for seed in range(6):
        summary = evaluated(
            *(tmp_path, "--data", path, "--detectors", ECHO),
            *("--balance-datasets", "--seed", seed),
        )
        tp, fp, fn, tn = counts_of(summary)[ECHO]
        assert (tp, fn, fp + tn) == (5, 0, 5)
        assert summary["results"][ECHO]["stress"]["passes"] == 3
        assert summary["metadata"]["balance_datasets"] is True
        drawn.add(fp)
    assert len(drawn) > 1
    for counts, kept in (((9, 0, 0, 3), 3), ((3, 0, 0, 3), 3), ((9, 0, 0, 0), 9)):
        write_lines(path, echo_rows(*counts))
        given = ("--data", path, "--detectors", ECHO, "--balance-datasets")
        tp, _, _, tn = counts_of(evaluated(tmp_path, *given))[ECHO]
        assert (tp, tn) == (kept, counts[3])


def test_saved_rows_carry_their_scores_and_can_be_evaluated_again(
    tmp_path: Path,
) -> None:
    given = [
        echo_row(
            "0.5", "hit", "a", notes={"triggers": ["x"]}, lang="de", slice="short"
        ),
        echo_row("none", "pass", "b", goal="be rude", why="looks alike", source="us"),
    ]
    mine = {"mine": "a column of mine"}
    path = write_lines(tmp_path / "rows.jsonl", [row | mine for row in given])
    saved = tmp_path / "saved"
    arguments = ("--data", path, "--detectors", ECHO, "--save-datasets", saved)
    assert evaluated(tmp_path, *arguments)["metadata"]["save_datasets"] is True
    (file,) = saved.iterdir()
    kept = rows_of(file)
    own = {
        "detector": ECHO,
        "prompt": {"turns": [{"role": "user", "content": {"text": ""}}]},
    }
    assert (file.name, kept) == (
        "echoes_Echo.jsonl",
        [
            given[0]
            | own
            | {"where": f"{path}, line 1", "score": 0.5, "predicted": "hit"},
            given[1]
            | own
            | {"where": f"{path}, line 2", "score": None, "predicted": "none"}
            | {"missing": "none", "missing_detail": None},
        ],
    )
    again = write_lines(tmp_path / "again.jsonl", kept[:1])
    summary = evaluated(tmp_path, "--data", again, "--detectors", ECHO)
    assert counts_of(summary) == {ECHO: (1, 0, 0, 0)}
