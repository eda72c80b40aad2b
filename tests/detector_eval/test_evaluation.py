# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detector evaluation from Python: one call, no parser, no garak needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from garak_tbsa.detector_eval.checkpoint import Journal
from garak_tbsa.detector_eval.evaluation import Evaluation, EvaluationOptions, evaluate
from garak_tbsa.detector_eval.explain import explain_detector
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.row_form import Reading
from garak_tbsa.detector_eval.run import OpenedDetector, ScoredChunk
from garak_tbsa.detector_eval.selection import DataRequest, DetectorCatalogue, Selection
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.workers.backends import Workers
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


def test_results_files_and_versions(data: str) -> None:
    evaluation = run(data, detectors="x.Hits,x.Other")
    counts = evaluation.results["x.Hits"].counts
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (2, 0, 0, 1)
    assert evaluation.results["x.Other"].reason == "no labelled rows"
    assert [result.detector for result in evaluation.measured] == ["x.Hits"]
    assert [file.name for file in evaluation.files["x.Hits"]] == ["x.Hits.jsonl"]
    assert evaluation.versions["garak"] == "0.0"


def test_a_name_that_garak_does_not_have(data: str, tmp_path: Path) -> None:
    path = write_records(tmp_path, RECORDS, "x.Hitz")
    with pytest.raises(DatasetError) as caught:
        run(path)
    assert str(caught.value) == (
        f"{path}: rows for 'x.Hitz', which is no detector of the installed garak;"
        " try x.Hits"
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


def test_chunks_pass_through_the_watch(data: str) -> None:
    totals = []

    def watch(scored: Iterator[Any], total: int) -> Iterator[ScoredChunk]:
        totals.append(total)
        yield from scored

    run(data, watch=watch)
    assert totals == [3]


def test_saved_rows_keep_their_slots(data: str, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    run(data, options=EvaluationOptions(save_datasets=str(folder)))
    text = (folder / "x.Hits.jsonl").read_text()
    saved = [json.loads(line) for line in text.splitlines()]
    assert saved[2]["output"] == RECORDS[2]["output"]
    assert saved[2]["score"] == 1.0
    assert not any(word in text for word in WORDS)
    assert WordOpener.seen[2] in [f"oh {word}" for word in WORDS]
    assert run(str(folder)).results["x.Hits"] == run(data).results["x.Hits"]


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


@dataclass(frozen=True, kw_only=True)
class LaterReading(Reading):
    """With an option of how rows are read that nobody has thought of yet."""

    delimiter: str = ","


@dataclass(frozen=True, kw_only=True)
class LaterOptions(EvaluationOptions):
    """The same of how they are counted."""

    ties_are_hits: bool = True


READING, OPTIONS = LaterReading(), LaterOptions()
REQUEST = DataRequest(detectors="x.Hits", reading=READING)


@pytest.mark.parametrize(
    ("request_now", "options_now", "rows_again"),
    [
        (REQUEST, OPTIONS, 0),
        (REQUEST, replace(OPTIONS, workers=Workers(jobs=2)), 0),
        (replace(REQUEST, reading=replace(READING, delimiter=";")), OPTIONS, 3),
        (replace(REQUEST, reading=replace(READING, encoding="cp1252")), OPTIONS, 3),
        (REQUEST, replace(OPTIONS, ties_are_hits=False), 3),
        # rows and labels that name no detector were its own before
        (replace(REQUEST, detectors="x.Hits,x.Other"), OPTIONS, 3),
    ],
)
def test_finished_work_counts_only_with_every_option_the_same(
    data: str,
    tmp_path: Path,
    request_now: DataRequest,
    options_now: EvaluationOptions,
    rows_again: int,
) -> None:
    """One option was forgotten: \"six records hold how a file is read\"."""
    output = str(tmp_path / "s.json")

    def again(request: DataRequest, options: EvaluationOptions) -> int:
        WordOpener.seen.clear()
        with closing(Journal(output, start_over=False)) as journal:
            evaluate(
                replace(request, paths=(data,)),
                catalogue=CATALOGUE,
                opener=WordOpener(),
                options=options,
                journal=journal,
            )
        return len(WordOpener.seen)

    assert again(REQUEST, OPTIONS) == 3
    assert again(request_now, options_now) == rows_again


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


PYTHON = """
import garak_tbsa as tbsa

found = tbsa.evaluate("rows.jsonl", detectors="unsafe_content.LDNOOBW")
print(found.detectors["unsafe_content.LDNOOBW"].hit_f1)
"""


def test_one_call_in_a_process_of_its_own(tmp_path: Path) -> None:
    write_records(tmp_path, RECORDS[1:], "rows")
    root = os.path.dirname(os.path.dirname(garak_tbsa.__file__))
    done = subprocess.run(
        [sys.executable, "-c", PYTHON],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("1.0\n", "")
