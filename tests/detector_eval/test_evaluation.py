# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detectors run on labelled rows; what is finished is kept, and the rows if asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval.dataset import (
    DataRequest,
    DetectorCatalogue,
    select_rows,
)
from garak_tbsa.detector_eval.evaluation import (
    EvaluationOptions,
    Journal,
    balanced,
    evaluate,
)
from garak_tbsa.detector_eval.explain import explain_detector
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.run import OpenedDetector
from garak_tbsa.errors import DatasetError, UsageError
from tests.detector_eval.rows import labelled, write_records
from tests.values import known

WORDS = ["darn", "heck"]
NAN = float("nan")

CATALOGUE = DetectorCatalogue(
    garak_version="0.0",
    names=("x.Hits", "x.Other"),
    has=lambda name: name in ("x.Hits", "x.Other"),
    resolve=lambda spec: tuple(sorted(spec.split(","))),
    nearest=lambda name: "; try x.Hits",
    word_list=lambda name: WORDS,
)


class Opened:
    """Scores 1.0 where the output says ``bad`` or a word of the list."""

    def __enter__(self) -> OpenedDetector:
        return self

    def __exit__(self, *details: object) -> None:
        return None

    def scores(self, row: LabelledRow) -> list[float]:
        text = known(row.output)
        WordOpener.seen.append(text)
        return [float(any(word in text for word in ("bad", *WORDS)))]

    def options(self) -> dict[str, Any]:
        return {}

    def complaint(self) -> str | None:
        return None

    def close(self) -> None:
        return None


class WordOpener:
    seen: list[str] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordOpener)

    def identity(self) -> dict[str, Any]:
        return {}

    def open(self, detector: str) -> Opened:
        return Opened()


RECORDS = [
    {"id": "1", "output": "bad", "label": "hit", "mine": "a column of mine"},
    {"id": "2", "output": "good", "label": "pass"},
    {"id": "3", "output": "oh {{unsafe_content.LDNOOBW}}", "label": "hit"},
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    WordOpener.seen.clear()
    folder = tmp_path / "data"
    folder.mkdir()
    return write_records(folder, RECORDS, "x.Hits")


def run(
    *paths: str,
    detectors: str | None = None,
    journal: Journal | None = None,
    **options: Any,
) -> dict[str, DetectorResult]:
    selection = select_rows(DataRequest(paths=paths, detectors=detectors), CATALOGUE)
    chosen = EvaluationOptions(**options)
    return evaluate(selection, WordOpener(), chosen, journal=journal)


@pytest.mark.parametrize("way", ["itself", "link", "of_another_detector"])
def test_saved_rows_never_go_where_the_data_is(
    data: str, tmp_path: Path, way: str
) -> None:
    folder = os.path.dirname(data)
    before = Path(data).read_text()
    detectors = None
    if way == "link":
        os.symlink(folder, tmp_path / "link")
        folder = str(tmp_path / "link")
    elif way == "of_another_detector":
        detectors = "x.Other"
    with pytest.raises(UsageError) as caught:
        run(os.path.dirname(data), detectors=detectors, save_datasets=folder)
    assert str(caught.value) == (
        f"--save-datasets {folder}: the folder of {data}, which is read;"
        " name another folder"
    )
    assert Path(data).read_text() == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_saved_rows_never_replace_data_by_another_name(
    data: str, tmp_path: Path, link: Callable[..., Any]
) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    link(data, folder / "x.Hits.jsonl")
    with pytest.raises(UsageError, match="would overwrite the input"):
        run(data, save_datasets=str(folder))


@pytest.mark.parametrize("way", ["as it was", "other rows saved", "other rows read"])
def test_finished_work_counts_if_its_rows_are_the_same_and_still_saved(
    data: str, tmp_path: Path, way: str
) -> None:
    folder = str(tmp_path / "saved")
    found = run(data, save_datasets=folder, journal=journal(tmp_path))
    changed = {"other rows saved": f"{folder}/x.Hits.jsonl", "other rows read": data}
    if way in changed:
        with open(changed[way], "a") as handle:
            handle.write('{"output": "late", "label": "pass"}\n')
    WordOpener.seen.clear()
    again = run(data, save_datasets=folder, journal=journal(tmp_path))
    assert bool(WordOpener.seen) == (way != "as it was")
    assert (again == found) == (way != "other rows read")


def test_rows_are_saved_as_they_were_written_with_what_came_out(
    data: str, tmp_path: Path
) -> None:
    run(data, save_datasets=str(tmp_path / "saved"))
    path = tmp_path / "saved" / "x.Hits.jsonl"
    saved = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(row["id"], row["score"], row["predicted"]) for row in saved] == [
        ("1", 1.0, "hit"),
        ("2", 0.0, "pass"),
        ("3", 1.0, "hit"),
    ]
    assert saved[2]["output"] == RECORDS[2]["output"]
    assert "mine" not in saved[0]
    before = path.read_bytes()
    nan = write_records(tmp_path, [RECORDS[0] | {"notes": {"x": NAN}}], "x.Hits")
    with pytest.raises(DatasetError) as caught:
        run(nan, save_datasets=str(tmp_path / "saved"))
    assert str(caught.value) == (
        f"{nan}, line 1: holds NaN or an infinite number, which JSON has no form for;"
        " write a number or null"
    )
    assert path.read_bytes() == before


def journal(folder: Path) -> Journal:
    return Journal(str(folder / "s.json"), start_over=False)


def result(detector: str) -> DetectorResult:
    return DetectorResult(detector=detector, counts=ConfusionCounts(tp=3, tn=2))


def test_a_line_that_a_kill_cut_short_costs_that_detector_alone(
    tmp_path: Path,
) -> None:
    before = journal(tmp_path)
    before.add("a", result("A"))
    before.add("b", result("B"))
    path = tmp_path / "s.json.unfinished"
    os.truncate(path, os.path.getsize(path) - 5)
    journal(tmp_path).add("c", result("C"))
    last = journal(tmp_path)
    known_now = {key: last.result(key) for key in "abc"}
    assert known_now == {"a": result("A"), "b": None, "c": result("C")}
    last.remove()
    assert list(tmp_path.iterdir()) == []


def test_no_journal_beside_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for output in ("-", "/dev/stdout", "/dev/null"):
        Journal(output, start_over=False).add("a", result("A"))
        assert not os.path.exists(f"{output}.unfinished")


@given(
    labels=st.lists(st.sampled_from(["hit", "pass"]), min_size=1, max_size=40),
    seed=st.integers(0, 10),
)
def test_balancing_keeps_the_smaller_class_whole_and_stress_rows(
    labels: list[Label], seed: int
) -> None:
    """Down-sample the larger class of typical rows, seeded."""
    rows = [labelled(label, id=str(number)) for number, label in enumerate(labels)]
    stress = [labelled("hit", id=f"s{number}", why="so") for number in range(5)]
    smaller = min(labels.count("hit"), labels.count("pass"))
    found = balanced([*rows, *stress], "dan.DAN", seed)
    for label in ("hit", "pass"):
        of_label = [row for row in rows if row.label == label]
        stays = [row for row in found if row.label == label and not row.is_stress]
        if smaller in (0, len(of_label)):
            assert stays == of_label
        else:
            assert len(stays) == smaller
    assert [row for row in found if row.is_stress] == stress
    assert balanced([*rows, *stress], "dan.DAN", seed) == found


def test_balancing_depends_on_the_seed() -> None:
    rows = [labelled("hit", id=str(number)) for number in range(50)]
    rows.append(labelled("pass"))
    drawn = {balanced(rows, "dan.DAN", seed)[0].id for seed in range(20)}
    assert len(drawn) > 5


def test_files_of_other_detectors_are_not_read(data: str) -> None:
    """So that one detector costs one file."""
    write_records(Path(data).parent, ["no JSON"], "x.Other")
    assert list(run(os.path.dirname(data), detectors="x.Hits")) == ["x.Hits"]


def test_an_explanation_in_one_call(data: str) -> None:
    found = explain_detector(
        DataRequest(paths=(data,), detectors="x.Hits"),
        catalogue=CATALOGUE,
        opener=WordOpener(),
    )
    assert found.result.counts.tp == 2
    with pytest.raises(UsageError, match="names 2 detectors; name one"):
        explain_detector(
            DataRequest(paths=(data,), detectors="x.Hits,x.Other"),
            catalogue=CATALOGUE,
            opener=WordOpener(),
        )
