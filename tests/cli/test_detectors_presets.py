# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``--preset``: published sets as they are, with garak's real detectors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.detector_eval.reading import presets
from garak_tbsa.garak_api.detectors import known_detectors
from tests.published_sets import (
    FULL,
    NO,
    REFUSED,
    YES,
    forms,
    write_csv,
    xstest_row,
)

DETECTOR = "mitigation.MitigationBypass"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out.json"


def evaluate(
    output: Path, *arguments: object, detectors: str | None = DETECTOR
) -> dict[str, tuple[int, ...]]:
    """The counts by detector, as TP, FP, FN, TN."""
    common = ["--output", str(output), "--replicates", "20"]
    chosen = [] if detectors is None else ["--detectors", detectors]
    code = main(["detectors", "evaluate", *map(str, arguments), *common, *chosen])
    assert code == 0
    results = json.loads(output.read_text())["results"]
    return {name: tuple(each["counts"].values()) for name, each in results.items()}


def refused(
    capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 1
) -> str:
    assert main(["detectors", "evaluate", *map(str, arguments)]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error.removeprefix("garak-tbsa: ").rstrip("\n")


def test_every_preset_names_detectors_of_this_garak() -> None:
    named = {name for each in presets().values() for name in each.detectors}
    assert named - known_detectors() == set()


def test_without_detectors_the_preset_names_them(
    tmp_path: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot run here (a key, a model) is an error of its own, as ever."""
    file = forms(tmp_path)["pyrit-refusal"]
    # importing it takes twenty seconds, and there is no model here to load
    monkeypatch.setitem(sys.modules, "transformers", None)
    found = evaluate(
        output, "--preset", "pyrit-refusal", "--data", file, "--offline", detectors=None
    )
    assert found[DETECTOR] == (2, 0, 0, 1)
    assert "mitigation.Prefixes" in found
    errors = json.loads(output.read_text())["metadata"]["errors"]
    assert {"judge.Refusal", "mitigation.ModernBERTRefusal"} <= {
        error["detector"] for error in errors
    }


def test_a_detector_of_another_question_is_told(
    tmp_path: Path, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = forms(tmp_path)["pyrit-refusal"]
    evaluate(output, "--preset", "pyrit-refusal", "--data", file, detectors="dan.DAN")
    assert (
        "  note: the labels of pyrit-refusal are not about what dan.DAN looks for\n"
        in capsys.readouterr().out
    )


def test_explain_takes_a_preset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = forms(tmp_path)["xstest"]
    code = main(
        ["detectors", "explain", DETECTOR, "--preset", "xstest", "--data", file]
    )
    assert code == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "6 rows of xstest read, 3 used"
    (counted,) = (line for line in said if line.startswith("typical rows: "))
    assert counted.startswith("typical rows: 3 scored, 2 hits and 1 passes;")
    assert any(line.startswith("homonyms ") for line in said)
    assert said[-1].startswith("Agreement: Krippendorff's alpha 0.")
    assert said[-1].endswith("(2 raters, 5 rows)")


def test_explain_groups_by_file_where_files_are_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        write_csv(tmp_path / f"{name}.csv", [xstest_row(1, text, label)])
        for name, text, label in (("gpt4", YES, FULL), ("llama2", NO, REFUSED))
    ]
    arguments = ["detectors", "explain", DETECTOR, "--preset", "xstest", "--data"]
    assert main([*arguments, *files]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    counts = {line[0]: line[1:5] for line in lines if len(line) == 8}
    assert counts["gpt4"] == ["1", "0", "0", "0"]
    assert counts["llama2"] == ["0", "0", "0", "1"]


def test_a_file_of_another_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = forms(tmp_path)["gptfuzz"]
    assert refused(capsys, "--preset", "xstest", "--data", file) == (
        f"{file}, row 2: not of the form xstest, which has the columns id, prompt,"
        " completion, final_label, annotation_1, annotation_2; found question,"
        " Response, label; --preset gptfuzz reads files of this form"
    )


def test_a_published_file_without_a_preset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = forms(tmp_path)["gptfuzz"]
    assert refused(capsys, "--data", file) == (
        f"{file}, row 2: no `output`; give the response as a string, or null for none,"
        " or say which column it is with --columns output=...; it has question,"
        " Response, label; --preset gptfuzz reads files of this form"
    )
    columns = ["--columns", "output=response"]
    assert refused(capsys, "--data", file, *columns) == (
        f"{file}, row 2: no column 'response', which --columns maps to `output`; it"
        " has question, Response, label; --preset gptfuzz reads files of this form"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--preset", "xstest"],
            "--preset xstest: give its files with --data; they are from"
            " https://github.com/paul-rottger/xstest,"
            " model_completions/xstest_v2_completions_<model>.csv",
        ),
        (
            ["--preset", "xstest-response"],
            "--preset xstest-response: give its files with --data, or --data"
            " hf://allenai/xstest-response@response_refusal; they are from"
            " https://huggingface.co/datasets/allenai/xstest-response",
        ),
        (
            ["--preset", "xstest", "--columns", "output=x"],
            "--columns: --preset xstest says it already; leave one out",
        ),
        (
            ["--partial", "hit"],
            "--partial hit: goes with a --preset that has partial labels, e.g. xstest",
        ),
    ],
)
def test_options_that_do_not_go_together(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert refused(capsys, *arguments, code=2) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label-threshold", "high"], "expected a number, not 'high'"),
        (["--label-threshold", "nan"], "expected a number, not 'nan'"),
        (["--raters", "a,,b"], "expected different column names with commas between"),
        (["--raters", "a,a"], "expected different column names with commas between"),
    ],
)
def test_values_that_cannot_be(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["detectors", "evaluate", *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_the_presets_are_listed(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["detectors", command, "--preset", "list"])
    assert caught.value.code == 0
    said = capsys.readouterr().out
    for each in presets().values():
        assert f"\n{each.name}: {each.title}\n" in said
        assert f"  note: {each.caveat}\n" in said


def test_the_command_that_listed_them_says_where_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["detectors", "presets"]) == 2
    assert capsys.readouterr().err == (
        "garak-tbsa: detectors presets is gone since 0.2.0; use garak-tbsa detectors"
        " evaluate --preset list\n"
    )
