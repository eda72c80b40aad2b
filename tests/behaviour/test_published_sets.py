# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Published sets, and own ones in which some rows have no clear label."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from garak import _plugins

from tests.behaviour.labelled import (
    ECHO,
    counts_of,
    echo_row,
    evaluated,
    refused,
    write_cells,
    write_lines,
)
from tests.behaviour.product import tbsa
from tests.published_sets import (
    FULL,
    NO,
    PARTLY,
    REFUSED,
    XSTEST,
    YES,
    forms,
    xstest_row,
)

BYPASS = "mitigation.MitigationBypass"


PRESETS: dict[str, dict[str, Any]] = {
    path.name.removesuffix(".json"): json.loads(path.read_text("utf-8"))
    for path in (files("garak_tbsa") / "detector_eval" / "presets").iterdir()
}


def test_published_sets_are_read_as_they_are(tmp_path: Path) -> None:
    """And it is told of a detector that it looks for something else."""
    written = forms(tmp_path)
    assert written.keys() == PRESETS.keys()
    for name, file in written.items():
        given = ("--preset", name, "--data", file, "--detectors", f"{BYPASS},dan.DAN")
        output = tmp_path / "s.json"
        shown = tbsa("detectors", "evaluate", *given, "--output", output)
        assert (shown.code, shown.err) == (0, "")
        assert counts_of(json.loads(output.read_text()))[BYPASS] == (2, 0, 0, 1), name
        others = [each for each in ("dan.DAN", BYPASS) if each not in judges(name)]
        for line in (
            f"  note: {PRESETS[name]['caveat']}",
            f"  note: the labels of {name} are not about what {', '.join(others)} looks"
            " for",
        ):
            assert line in shown.lines


def judges(name: str) -> list[str]:
    found: list[str] = PRESETS[name]["detectors"]
    return found


def test_the_sets_are_listed_with_what_a_user_must_know() -> None:
    plugins = _plugins.enumerate_plugins("detectors", skip_base_classes=False)
    ours = {name.removeprefix("detectors.") for name, _ in plugins}
    shown = tbsa("detectors", "evaluate", "--preset", "list")
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[0].split() == ["preset", "licence", "columns"]
    listed = [line.split()[0] for line in shown.lines[1 : len(PRESETS) + 1]]
    assert listed == sorted(PRESETS)
    for name, preset in PRESETS.items():
        assert set(judges(name)) <= ours
        assert preset["source"].startswith("https://")
        told = preset["caveat"].lower()
        assert any(word in told for word in ("harm", "neither", "toxic"))
        start = shown.lines.index(f"{name}: {preset['title']}")
        block = shown.lines[start : [*shown.lines, ""].index("", start)]
        said = {line.split(":")[0]: line.partition(": ")[2] for line in block[1:]}
        assert said.pop("  labels")
        assert said == {
            "  from": preset["source"],
            **({"  models": ", ".join(preset["models"])} if "models" in preset else {}),
            "  judges": ", ".join(judges(name)),
            "  note": preset["caveat"],
        }
    labels = [line for line in shown.lines if line.startswith("  labels: ")]
    assert labels[sorted(PRESETS).index("xstest")] == (
        "  labels: 1_full_compliance = hit; 2_full_refusal = pass; 3_partial_refusal"
        " left out; also by raters annotation_1, annotation_2"
    )
    assert labels[sorted(PRESETS).index("pyrit-harm")] == (
        "  labels: 0.5 or more = hit, less = pass; majority of human_score_1,"
        " human_score_2, human_score_3"
    )


def test_without_detectors_the_preset_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot run here (a key, a model) is an error of its own, as ever."""
    file = forms(tmp_path)["pyrit-refusal"]
    # importing it takes twenty seconds, and there is no model here to load
    monkeypatch.setitem(sys.modules, "transformers", None)
    given = ("--preset", "pyrit-refusal", "--data", file, "--offline")
    summary = evaluated(tmp_path, *given)
    assert counts_of(summary)[BYPASS] == (2, 0, 0, 1)
    failed = {error["detector"] for error in summary["metadata"]["errors"]}
    assert {*summary["results"], *failed} == set(judges("pyrit-refusal"))
    assert {"judge.Refusal", "mitigation.ModernBERTRefusal"} <= failed


def test_files_of_several_models_may_have_the_same_ids(tmp_path: Path) -> None:
    """The file's name is part of them, and how far raters agree is told."""
    models = [
        write_cells(tmp_path / f"{name}.csv", [xstest_row(1, text, label)])
        for name, text, label in (("gpt4", YES, FULL), ("llama2", NO, REFUSED))
    ]
    given = ("--preset", "xstest", "--detectors", BYPASS, "--data")
    summary = evaluated(tmp_path, *given, *models)
    assert counts_of(summary) == {BYPASS: (1, 0, 0, 1)}
    output = ("--output", tmp_path / "s.json")
    shown = tbsa("detectors", "evaluate", *given, forms(tmp_path)["xstest"], *output)
    assert shown.lines[0] == "6 rows of xstest read, 3 used"
    (agree,) = (line for line in shown.lines if "raters agree" in line)
    assert agree.startswith("  raters agree: Krippendorff's alpha 0.")
    assert agree.endswith("(2 raters, 5 rows)")


def test_rows_of_a_set_without_one_clear_label_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    rows = [
        *XSTEST[:2],
        xstest_row(3, NO, PARTLY, PARTLY, PARTLY),
        *XSTEST[3:],
        xstest_row(7, NO, "", FULL, REFUSED),
    ]
    file = write_cells(tmp_path / "xstest_v2_completions_a.csv", rows)
    given = ("--preset", "xstest", "--data", file, "--detectors", BYPASS)
    summary = evaluated(tmp_path, *given)
    assert counts_of(summary) == {BYPASS: (2, 0, 0, 1)}
    alpha = summary["metadata"]["reading"].pop("alpha")
    assert 0 < alpha < 1
    assert summary["metadata"]["reading"] == {
        "preset": "xstest",
        "rows_read": 7,
        "rows_used": 3,
        "left_out": {
            f"labelled '{PARTLY}'": 1,
            "whose label most raters contradict": 1,
            "whose raters are tied": 1,
            "without a label": 1,
        },
        "repeated": 0,
    }


def test_a_value_of_the_labels_may_be_left_out(echoes: Path) -> None:
    """So are then rows on which raters do not agree."""
    said = {
        "1 a": {"ann": "yes", "bob": "yes"},
        "0 b": {"ann": "yes", "bob": "yes"},
        "1 c": {"ann": "no", "bob": "no"},
        "1 d": {"ann": "no", "bob": "yes"},
        "1 e": {"ann": "bad", "bob": "bad"},
        "1 f": {"ann": "", "bob": ""},
    }
    rows = [{"output": text, "annotations": each} for text, each in said.items()]
    path = write_cells(echoes / "rows.csv", rows)
    summary = evaluated(
        *(echoes, "--data", path, "--detectors", ECHO),
        *("--label-values", "hit=yes,pass=no,skip=bad"),
    )
    assert counts_of(summary) == {ECHO: (1, 1, 1, 0)}
    reading = summary["metadata"]["reading"]
    assert {name: reading[name] for name in ("rows_read", "rows_used")} == {
        "rows_read": 6,
        "rows_used": 3,
    }
    assert reading["left_out"] == {
        "whose raters are tied": 1,
        "whose raters mostly gave a label that is left out": 1,
        "without a label": 1,
    }


def test_what_has_two_labels_does_not_count_either_time(echoes: Path) -> None:
    """The same prompt and response, or the same id; what repeats alike counts."""
    rows = [echo_row("1", "hit", f"r{number}") for number in range(4)]
    rows += [
        rows[0] | {"id": "other", "label": "pass"},
        rows[1] | {"output": "0 other", "label": "pass"},
        rows[2] | {"output": "1 alike"},
        echo_row("1", "", "blank"),
        echo_row("1", "?", "unsure"),
    ]
    path = write_lines(echoes / "rows.jsonl", rows)
    given = ("--data", path, "--detectors", ECHO, "--label-values", "skip=?")
    output = echoes / "s.json"
    shown = tbsa("detectors", "evaluate", *given, "--output", output)
    assert counts_of(json.loads(output.read_text())) == {ECHO: (3, 0, 0, 0)}
    assert shown.lines[:5] == [
        "9 rows read, 3 used",
        "  left out: 4 labelled otherwise than a row of the same id, or prompt and"
        f" response (first: {path}, line 1)",
        f"  left out: 1 without a label (first: {path}, line 8)",
        f"  left out: 1 labelled '?' (first: {path}, line 9)",
        "  kept: 1 labelled as a row of the same id, or prompt and response (first:"
        f" {path}, line 7, as {path}, line 3)",
    ]


def test_files_below_a_folder_and_of_one_name_are_told_apart(echoes: Path) -> None:
    """Rows without an id are named for their file; published files may be one row."""
    for place, score, label in (("a", "1", "hit"), ("b", "1", "pass")):
        row = {"output": f"{score} x", "label": label, "detector": ECHO}
        write_lines(echoes / "own" / place / "rows.jsonl", [row])
    files = [echoes / "own" / place / "rows.jsonl" for place in "ab"]
    summary = evaluated(echoes, "--data", *files, "--detectors", ECHO)
    assert counts_of(summary) == {ECHO: (1, 1, 0, 0)}
    for place, score, safety in (("P1/a", "0", "safe"), ("P1/b", "1", "unsafe")):
        published = {"context": "asked", "response": f"{score} x", "safety": safety}
        write_lines(echoes / "set" / place / "0.json", [published])
    groups = {"x": [{"context": "asked", "response": "0 y", "safety": "unsafe"}]}
    write_lines(echoes / "set" / "P1_prefix.json", [groups])
    summary = evaluated(
        *(echoes, "--preset", "latent-jailbreak", "--data", echoes / "set"),
        *("--detectors", ECHO),
    )
    assert counts_of(summary) == {ECHO: (1, 0, 1, 1)}
    assert summary["metadata"]["reading"]["rows_read"] == 3
    empty = echoes / "empty"
    empty.mkdir()
    for preset in ((), ("--preset", "latent-jailbreak")):
        shown = tbsa("detectors", "evaluate", "--data", empty, *preset)
        assert (shown.code, f"{empty}: no " in shown.error) == (1, True)


HAS = "it has question, Response, label; --preset gptfuzz reads files of this form"
NO_USAGE = {
    "--preset gptfuz": (
        "--preset 'gptfuz': no preset of this name; expected one of"
        f" {', '.join(sorted(PRESETS))}"
    ),
    **{
        f"--preset gptfuzz {option}{value}": (
            f"{option}: --preset gptfuzz says it already; leave one out"
        )
        for option, value in (
            ("--columns", " output=x"),
            ("--label-values", " hit=1"),
        )
    },
}
NO_OUTPUT = {
    "": (
        "no `output`; give the response as a string, or null for none, or say which"
        f" column it is with --columns output=...; {HAS}"
    ),
    "--columns output=response": (
        f"no column 'response', which --columns maps to `output`; {HAS}"
    ),
}
FROM = {
    "xstest": (
        "; they are from https://github.com/paul-rottger/xstest,"
        " model_completions/xstest_v2_completions_<model>.csv"
    ),
    "xstest-response": (
        "; they are from https://huggingface.co/datasets/allenai/xstest-response"
    ),
}


def test_options_that_do_not_go_with_a_set_are_refused(tmp_path: Path) -> None:
    """And a file without its preset is told which reads it, a preset where it is."""
    file = forms(tmp_path)["gptfuzz"]
    for options, said in NO_USAGE.items():
        assert refused("--data", file, *options.split(), code=2) == said
    for options, said in NO_OUTPUT.items():
        assert refused("--data", file, *options.split()) == f"{file}, row 2: {said}"
    for name, said in FROM.items():
        assert refused("--preset", name, code=2) == (
            f"--preset {name}: give its files with --data{said}"
        )
