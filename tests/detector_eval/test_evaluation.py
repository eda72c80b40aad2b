# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detector evaluation from Python: one call, no parser, no garak needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.detector_eval.checkpoint import Journal
from garak_tbsa.detector_eval.evaluation import Evaluation, EvaluationOptions, evaluate
from garak_tbsa.detector_eval.explain import explain_detector
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.run import OpenedDetector, ScoredChunk
from garak_tbsa.detector_eval.selection import DataRequest, DetectorCatalogue, Selection
from garak_tbsa.errors import DatasetError, UsageError
from tests.detector_eval.rows import write_records
from tests.values import known

WORDS = ["darn", "heck"]

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
    **arguments: Any,
) -> Evaluation:
    return evaluate(
        DataRequest(paths=paths, detectors=detectors),
        catalogue=CATALOGUE,
        opener=WordOpener(),
        **arguments,
    )


def test_the_check_sees_the_selection_before_a_detector_runs(data: str) -> None:
    class RefusedError(Exception):
        pass

    def check(selection: Selection) -> None:
        assert selection.inputs == (data,)
        raise RefusedError

    with pytest.raises(RefusedError):
        run(data, check=check)
    assert WordOpener.seen == []


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
        run(
            os.path.dirname(data),
            detectors=detectors,
            options=EvaluationOptions(save_datasets=folder),
        )
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
        run(data, options=EvaluationOptions(save_datasets=str(folder)))


def interrupted(data: str, output: str, folder: str) -> None:
    """Finish ``x.Hits`` and keep it in the journal, as a killed evaluation does."""
    journal = Journal(output, start_over=False)
    run(data, options=EvaluationOptions(save_datasets=folder), journal=journal)
    journal.close()
    WordOpener.seen.clear()


@pytest.mark.parametrize("who", ["nobody", "another evaluation"])
def test_finished_work_counts_if_its_rows_are_still_saved(
    data: str, tmp_path: Path, who: str
) -> None:
    output, folder = str(tmp_path / "s.json"), str(tmp_path / "saved")
    interrupted(data, output, folder)
    if who == "another evaluation":
        run(data, options=EvaluationOptions(save_datasets=folder, eval_threshold=1.0))
        with open(os.path.join(folder, "x.Hits.jsonl"), "a") as handle:
            handle.write('{"output": "of other data", "label": "hit"}\n')
        WordOpener.seen.clear()
    options = EvaluationOptions(save_datasets=folder)
    with closing(Journal(output, start_over=False)) as journal:
        run(data, options=options, journal=journal)
    assert len(WordOpener.seen) == (0 if who == "nobody" else 3)


def test_where_detectors_run_is_the_only_option_that_is_not_counting() -> None:
    options = EvaluationOptions()
    left_out = {each.name for each in fields(options)} - set(options.counting())
    assert left_out == {"workers"}


def test_a_file_that_changes_while_detectors_run_is_one_line(
    data: str, tmp_path: Path
) -> None:
    """Rows are read again when their turn comes: they must be those of the sha256."""
    output = str(tmp_path / "s.json")
    later = write_records(tmp_path / "data", RECORDS, "x.Other")
    folder = str(tmp_path / "data")

    def changing(scored: Iterator[ScoredChunk], _: int) -> Iterator[ScoredChunk]:
        yield next(scored)
        with open(later, "a") as handle:
            handle.write('{"output": "late", "label": "hit"}\n')
        yield from scored

    journal = Journal(output, start_over=False)
    with closing(journal), pytest.raises(DatasetError) as caught:
        run(folder, journal=journal, watch=changing)
    assert str(caught.value) == (
        f"{later}: changed since its rows were checked; run the same command again"
    )
    # the finished detector's work is kept
    WordOpener.seen.clear()
    with closing(Journal(output, start_over=False)) as journal:
        run(folder, journal=journal)
    assert len(WordOpener.seen) == 4


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
