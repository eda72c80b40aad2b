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
    assert shown == tbsa("detectors", "explain", "--preset", "list")
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
            **({"  on the Hub": f"--data {preset['hub']}"} if "hub" in preset else {}),
            **({"  models": ", ".join(preset["models"])} if "models" in preset else {}),
            "  judges": ", ".join(judges(name)),
            "  note": preset["caveat"],
        }
    labels = [line for line in shown.lines if line.startswith("  labels: ")]
    assert labels[sorted(PRESETS).index("xstest")] == (
        "  labels: 1_full_compliance = hit; 2_full_refusal = pass; 3_partial_refusal"
        " left out unless --partial says; also by raters annotation_1, annotation_2"
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


def test_explain_takes_a_set_and_groups_by_file_where_files_are_models(
    tmp_path: Path,
) -> None:
    explain = ("detectors", "explain", BYPASS, "--preset", "xstest", "--data")
    lines = tbsa(*explain, forms(tmp_path)["xstest"]).lines
    assert lines[0] == "6 rows of xstest read, 3 used"
    (counted,) = (line for line in lines if line.startswith("typical rows: "))
    assert counted.startswith("typical rows: 3 scored, 2 hits and 1 passes;")
    assert any(line.startswith("homonyms ") for line in lines)
    assert lines[-1].startswith("Agreement: Krippendorff's alpha 0.")
    assert lines[-1].endswith("(2 raters, 5 rows)")
    models = [
        write_cells(tmp_path / f"{name}.csv", [xstest_row(1, text, label)])
        for name, text, label in (("gpt4", YES, FULL), ("llama2", NO, REFUSED))
    ]
    rows = [line.split() for line in tbsa(*explain, *models).lines]
    counts = {row[0]: row[1:5] for row in rows if len(row) == 8}
    assert counts["gpt4"] == ["1", "0", "0", "0"]
    assert counts["llama2"] == ["0", "0", "0", "1"]


PARTIAL: dict[tuple[str, ...], tuple[tuple[int, ...], dict[str, int]]] = {
    # options: the counts, and what is left out because of them
    (): ((2, 0, 0, 1), {f"labelled '{PARTLY}'": 1}),
    ("--partial", "pass"): ((2, 0, 0, 2), {}),
    ("--partial", "hit"): ((2, 0, 1, 1), {}),
}


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
    for partial, (counts, left_out) in PARTIAL.items():
        summary = evaluated(
            *(tmp_path, "--preset", "xstest", "--data", file),
            *("--detectors", BYPASS, *partial),
        )
        assert counts_of(summary) == {BYPASS: counts}
        alpha = summary["metadata"]["reading"].pop("alpha")
        assert 0 < alpha < 1
        assert summary["metadata"]["reading"] == {
            "preset": "xstest",
            "rows_read": 7,
            "rows_used": sum(counts),
            "left_out": {
                **left_out,
                "whose label most raters contradict": 1,
                "whose raters are tied": 1,
                "without a label": 1,
            },
            "repeated": 0,
        }


def test_own_sets_with_raters_numbers_and_labels_to_skip(echoes: Path) -> None:
    rows = [
        {"output": "1 a", "ann": "3", "bob": "4"},
        {"output": "0 b", "ann": "4", "bob": "5"},
        {"output": "1 c", "ann": "1", "bob": "2.5"},
        {"output": "1 d", "ann": "1", "bob": "5"},
        {"output": "1 e", "ann": "bad", "bob": "bad"},
        {"output": "1 f", "ann": "", "bob": ""},
    ]
    path = write_cells(echoes / "rows.csv", rows)
    summary = evaluated(
        *(echoes, "--data", path, "--detectors", ECHO, "--raters", "ann,bob"),
        *("--label-threshold", "3", "--skip-label", "bad"),
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
    given = ("--data", path, "--detectors", ECHO, "--skip-label", "?")
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
    "--preset gptfuzz --partial hit": (
        "--partial hit: --preset gptfuzz has no partial labels; leave it out"
    ),
    "--preset gptfuzz --label-threshold 3": (
        "--label-threshold 3: the labels of --preset gptfuzz are no numbers; leave it"
        " out"
    ),
    "--preset gptfuz": (
        "--preset 'gptfuz': no preset of this name; expected one of"
        f" {', '.join(sorted(PRESETS))}"
    ),
    "--partial hit": (
        "--partial hit: goes with a --preset that has partial labels, e.g. xstest"
    ),
    **{
        f"--preset gptfuzz {option}{value}": (
            f"{option}: --preset gptfuzz says it already; leave one out"
        )
        for option, value in (
            *(("--columns", " output=x"), ("--raters", " a,b")),
            *(("--label-values", " hit=1"), ("--ids-per-file", "")),
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
        ", or --data hf://allenai/xstest-response@response_refusal; they are from"
        " https://huggingface.co/datasets/allenai/xstest-response"
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
