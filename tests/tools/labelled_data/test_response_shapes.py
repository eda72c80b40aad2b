# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.errors import DatasetError
from tools.labelled_data.families import DATA, LABELLED
from tools.labelled_data.response_shapes import (
    RESPONSE_SHAPES,
    line_of,
    read_lines,
    shape_problems,
)

LINE = {
    "name": "dan.DAN",
    "detectors": ["dan.*"],
    "median": [30, 60],
    "ninetieth": [100],
    "fences": [0.1],
    "lists": [0.0, 0.9],
    "paragraphs": [0.5],
    "cut": [0.0],
}


@pytest.fixture
def lines_file(tmp_path: Path) -> Path:
    path = tmp_path / RESPONSE_SHAPES
    path.write_text(json.dumps({"lines": [LINE]}))
    return path


def test_spans_are_the_figures_with_their_tolerance(lines_file: Path) -> None:
    """\"median and 90 % length within a factor of 1.5, shares … within .2\"."""
    (line,) = read_lines(lines_file)
    spans = {name: (span.least, span.most) for name, span in line.spans.items()}
    assert spans == {
        "median": (20.0, 90.0),
        "ninetieth": (pytest.approx(66.7, abs=0.1), 150.0),
        "fences": (0.0, pytest.approx(0.3)),
        "lists": (0.0, 1.0),
        "paragraphs": (pytest.approx(0.3), 0.7),
        "cut": (0.0, 0.2),
    }


def test_rows_like_real_responses_have_no_problem(lines_file: Path) -> None:
    outputs = [f"{'word ' * 8}here.", f"{'a ' * 20}\n\n{'b ' * 39}end."]
    assert list(shape_problems("dan.DAN", outputs, read_lines(lines_file))) == []


def test_short_rows_are_named_with_figure_and_span(lines_file: Path) -> None:
    problems = list(shape_problems("dan.DAN", ["Yes.", "No"], read_lines(lines_file)))
    assert [problem.problem for problem in problems] == [
        "the median length of typical rows is 3, that of real responses (dan.DAN) asks"
        " for 20 to 90",
        "the 90 % length of typical rows is 4, that of real responses (dan.DAN) asks"
        " for 67 to 150",
        "the share of paragraphs of typical rows is 0.00, that of real responses"
        " (dan.DAN) asks for 0.30 to 0.70",
        "the share of cut ends of typical rows is 0.50, that of real responses"
        " (dan.DAN) asks for 0.00 to 0.20",
    ]
    assert {problem.rule for problem in problems} == {"shapes"}


def test_a_detector_without_a_line_is_told(lines_file: Path) -> None:
    (problem,) = shape_problems("apikey.ApiKey", ["a", "b"], read_lines(lines_file))
    assert problem.problem == "apikey.ApiKey takes no line of response_shapes.json"


def test_a_file_of_another_form_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / RESPONSE_SHAPES
    path.write_text('{"lines": [{"name": "x"}]}')
    with pytest.raises(DatasetError) as caught:
        read_lines(path)
    assert str(caught.value) == (
        f"{path}: expected `lines` with name, detectors, median, ninetieth, fences,"
        " lists, paragraphs, cut; found something else (KeyError)"
    )


def test_every_labelled_text_file_takes_one_line() -> None:
    lines = read_lines(DATA / RESPONSE_SHAPES)
    for path in LABELLED.glob("*.jsonl"):
        detector = path.name.removesuffix(".jsonl")
        taken = [line.name for line in lines if line.holds(detector)]
        assert len(taken) == (not detector.startswith("fileformats.")), detector
        assert (line_of(detector, lines) is None) == (not taken)
