# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Detector evaluation from Python: one call, no parser, no garak needed."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import garak_tbsa
from garak_tbsa.detector_eval.checkpoint import Journal
from garak_tbsa.detector_eval.evaluation import EvaluationOptions, evaluate
from garak_tbsa.detector_eval.explain import explain_detector
from garak_tbsa.detector_eval.selection import DataRequest, DetectorCatalogue
from garak_tbsa.errors import DatasetError, UsageError
from tests.detector_eval.rows import write_records

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

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return None

    def scores(self, row):
        Opener.seen.append(row.output)
        return [float(any(word in row.output for word in ("bad", *WORDS)))]

    def complaint(self):
        return None

    def close(self):
        return None


class Opener:
    seen: list[str] = []

    def __eq__(self, other):
        return isinstance(other, Opener)

    def identity(self):
        return {}

    def open(self, detector):
        return Opened()


RECORDS = [
    {"id": "1", "output": "bad", "label": "hit", "mine": "a column of mine"},
    {"id": "2", "output": "good", "label": "pass"},
    {"id": "3", "output": "oh {{unsafe_content.LDNOOBW}}", "label": "hit"},
]


@pytest.fixture
def data(tmp_path):
    Opener.seen.clear()
    folder = tmp_path / "data"
    folder.mkdir()
    return write_records(folder, RECORDS, "x.Hits")


def run(*paths, detectors=None, **arguments):
    return evaluate(
        DataRequest(paths=paths, detectors=detectors),
        catalogue=CATALOGUE,
        opener=Opener(),
        **arguments,
    )


def test_results_files_and_versions(data):
    evaluation = run(data, detectors="x.Hits,x.Other")
    counts = evaluation.results["x.Hits"].counts
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (2, 0, 0, 1)
    assert evaluation.results["x.Other"].reason == "no labelled rows"
    assert [result.detector for result in evaluation.measured] == ["x.Hits"]
    assert [file.name for file in evaluation.files["x.Hits"]] == ["x.Hits.jsonl"]
    assert evaluation.versions["garak"] == "0.0"


def test_a_name_that_garak_does_not_have(data, tmp_path):
    path = write_records(tmp_path, RECORDS, "x.Hitz")
    with pytest.raises(DatasetError) as caught:
        run(path)
    assert str(caught.value) == (
        f"{path}: rows for 'x.Hitz', which is no detector of the installed garak;"
        " try x.Hits"
    )


def test_the_check_sees_the_selection_before_a_detector_runs(data):
    class RefusedError(Exception):
        pass

    def check(selection):
        assert selection.inputs == (data,)
        raise RefusedError

    with pytest.raises(RefusedError):
        run(data, check=check)
    assert Opener.seen == []


def test_chunks_pass_through_the_watch(data):
    totals = []

    def watch(scored, total):
        totals.append(total)
        yield from scored

    run(data, watch=watch)
    assert totals == [3]


def test_saved_rows_keep_their_slots(data, tmp_path):
    folder = tmp_path / "saved"
    run(data, options=EvaluationOptions(save_datasets=str(folder)))
    text = (folder / "x.Hits.jsonl").read_text()
    saved = [json.loads(line) for line in text.splitlines()]
    assert saved[2]["output"] == RECORDS[2]["output"]
    assert saved[2]["score"] == 1.0
    assert not any(word in text for word in WORDS)
    assert Opener.seen[2] in [f"oh {word}" for word in WORDS]
    assert run(str(folder)).results["x.Hits"] == run(data).results["x.Hits"]


@pytest.mark.parametrize("way", ["itself", "link", "of_another_detector"])
def test_saved_rows_never_go_where_the_data_is(data, tmp_path, way):
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
def test_saved_rows_never_replace_data_by_another_name(data, tmp_path, link):
    folder = tmp_path / "saved"
    folder.mkdir()
    link(data, folder / "x.Hits.jsonl")
    with pytest.raises(UsageError, match="would replace what is read as"):
        run(data, options=EvaluationOptions(save_datasets=str(folder)))


def interrupted(data, output, folder):
    """Finish ``x.Hits`` and keep it in the journal, as a killed evaluation does."""
    journal = Journal(output, start_over=False)
    run(data, options=EvaluationOptions(save_datasets=folder), journal=journal)
    journal.close()
    Opener.seen.clear()


@pytest.mark.parametrize("who", ["nobody", "another evaluation"])
def test_finished_work_counts_if_its_rows_are_still_saved(data, tmp_path, who):
    output, folder = str(tmp_path / "s.json"), str(tmp_path / "saved")
    interrupted(data, output, folder)
    if who == "another evaluation":
        run(data, options=EvaluationOptions(save_datasets=folder, eval_threshold=1.0))
        with open(os.path.join(folder, "x.Hits.jsonl"), "a") as handle:
            handle.write('{"output": "of other data", "label": "hit"}\n')
        Opener.seen.clear()
    options = EvaluationOptions(save_datasets=folder)
    with closing(Journal(output, start_over=False)) as journal:
        run(data, options=options, journal=journal)
    assert len(Opener.seen) == (0 if who == "nobody" else 3)


def test_an_explanation_in_one_call(data):
    found = explain_detector(
        DataRequest(paths=(data,), detectors="x.Hits"),
        catalogue=CATALOGUE,
        opener=Opener(),
    )
    assert found.result.counts.tp == 2
    with pytest.raises(UsageError, match="names 2 detectors; name one"):
        explain_detector(
            DataRequest(paths=(data,), detectors="x.Hits,x.Other"),
            catalogue=CATALOGUE,
            opener=Opener(),
        )


PYTHON = """
from garak_tbsa.detector_eval.evaluation import evaluate
from garak_tbsa.detector_eval.selection import DataRequest
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import detector_catalogue

evaluation = evaluate(
    DataRequest(paths=("rows.jsonl",), detectors="unsafe_content.LDNOOBW"),
    catalogue=detector_catalogue(),
    opener=DetectorSettings(),
)
print(evaluation.results["unsafe_content.LDNOOBW"].counts.hit_f1)
"""


def test_one_call_in_a_process_of_its_own(tmp_path):
    """docs/python.md: the same call with the installed garak."""
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
    page = os.path.join(root, "docs", "python.md")
    shown = PYTHON.replace("unsafe_content.LDNOOBW", "dan.DAN").strip()
    assert shown in Path(page).read_text()
