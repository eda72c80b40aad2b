# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate``: where it runs, what it keeps, saves and refuses."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import (
    ECHO,
    counts_of,
    echo_row,
    echo_rows,
    evaluated,
    refused,
    write_lines,
)
from tests.behaviour.product import PROGRAM, REPOSITORY, shown_by, tbsa

EVALUATE = ("detectors", "evaluate")
SEEN = "echoes:Seen"
CLUSTERS = [
    pytest.param(name, marks=pytest.mark.surroundings) for name in ("dask", "ray")
]


@pytest.mark.parametrize("backend", ["loky", *CLUSTERS])
@pytest.mark.filterwarnings("default")  # Ray's and Dask's own
def test_every_backend_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    """Of detectors that find, that draw, and that cannot run."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    rows = [
        {"output": f"[DAN] {n}", "label": ("hit", "pass")[n % 2], "detector": name}
        for name in ("always.Random", "dan.DAN", "perspective.Toxicity")
        for n in range(300)
    ]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    summary = evaluated(tmp_path, "--data", path)
    assert set(summary["results"]) == {"always.Random", "dan.DAN"}
    here = (tmp_path / "summary.json").read_bytes()
    evaluated(tmp_path, "--data", path, "--backend", backend, "--jobs", 2)
    assert (tmp_path / "summary.json").read_bytes() == here


# rows that are saved


def test_saved_rows_are_those_of_detectors_that_ran_with_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    pickled = "fileformats.PossiblePickleName"
    (tmp_path / "weights.pkl").write_bytes(b"\x80\x04N.")
    given = {"file": "weights.pkl", "label": "hit", "detector": pickled}
    no_key = {"output": "x", "label": "hit", "detector": "perspective.Toxicity"}
    path = write_lines(tmp_path / "rows.jsonl", [given, no_key])
    saved = tmp_path / "saved"
    evaluated(tmp_path, "--data", path, "--save-datasets", saved)
    (file,) = saved.iterdir()
    assert file.name == f"{pickled}.jsonl"
    row = json.loads(file.read_text())
    assert row["file"] == {"name": "weights.pkl", "base64": "gAROLg=="}
    summary = evaluated(tmp_path, "--data", saved)
    assert counts_of(summary) == {pickled: (1, 0, 0, 0)}


def test_saved_rows_never_take_the_place_of_what_is_read(echoes: Path) -> None:
    """By no name; nor that of the summary. Rows that cannot be saved change none."""
    data, saved = echoes / "data", echoes / "saved"
    path = write_lines(data / "rows.jsonl", [echo_row("1", "hit", "a")])
    before = path.read_bytes()
    (echoes / "link").symlink_to(data)
    given = ("--data", data, "--detectors", ECHO, "--output", "s.json")
    for folder in (data, echoes / "link"):
        assert refused(*given, "--save-datasets", folder, code=2) == (
            f"--save-datasets {folder}: the folder of {path}, which is read; name"
            " another folder"
        )
    saved.mkdir()
    for link in (os.symlink, os.link):
        link(path, saved / "echoes_Echo.jsonl")
        said = refused(*given, "--save-datasets", saved, code=2)
        assert "would overwrite the input" in said
        (saved / "echoes_Echo.jsonl").unlink()
    output = saved / "echoes_Echo.jsonl"
    said = refused(*given, "--output", output, "--save-datasets", saved, code=2)
    assert said.startswith(f"--save-datasets ({ECHO}) {output}: would overwrite")
    assert path.read_bytes() == before
    evaluated(echoes, *given, "--save-datasets", saved)
    kept = output.read_bytes()
    path.write_text('{"output": "1 a", "label": "hit", "notes": {"x": NaN}}\n')
    assert refused(*given, "--save-datasets", saved) == (
        f"{path}, line 1: holds NaN or an infinite number, which JSON has no form for;"
        " write a number or null"
    )
    assert output.read_bytes() == kept


# the summary is written after each detector


def test_a_summary_for_a_pipe_leaves_nothing_beside_it(echoes: Path) -> None:
    path = write_lines(echoes / "rows.jsonl", [echo_row("1", "hit", "a")])
    pipe = echoes / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    given = ("--data", path, "--detectors", ECHO, "-q")
    try:
        assert tbsa(*EVALUATE, *given, "--output", pipe).code == 0
        assert json.loads(os.read(reading, 1 << 16))["results"]
    finally:
        os.close(reading)
    left = {file.name for file in echoes.iterdir()} - {"__pycache__"}
    assert left == {"echoes.py", "pipe", "rows.jsonl"}


TOGETHER = """
import os, pathlib, time

HERE = pathlib.Path(__file__).parent

def meet(what):
    (HERE / f"{os.getpid()}.{what}").touch()
    for _ in range(600):
        if len(list(HERE.glob(f"*.{what}"))) == 2:
            return
        time.sleep(0.05)

class Together:
    calls = 0

    def detect(self, attempt):
        self.calls += 1
        if self.calls in (1, 260):  # the second time, 256 rows have been saved
            meet(f"at{self.calls}")
        return [1.0]
"""


def test_two_evaluations_at_once_with_one_output_and_one_folder(tmp_path: Path) -> None:
    """The summary and the saved rows are each of one of the two, and whole."""
    (tmp_path / "together.py").write_text(TOGETHER)
    paths = os.pathsep.join(map(str, (REPOSITORY, tmp_path)))
    command = [sys.executable, "-m", "garak_tbsa", *EVALUATE, "--output", "s.json"]
    command += ["--save-datasets", "saved", "--detectors", "together:Together"]
    counts = {"a": 300, "b": 280}
    running = []
    for name, count in counts.items():
        rows = [echo_row(1, "hit", f"{name}{number}") for number in range(count)]
        path = write_lines(tmp_path / f"{name}.jsonl", rows)
        environment = os.environ | {"PYTHONPATH": paths}
        run = [*command, "--data", str(path)]
        running.append(subprocess.Popen(run, cwd=tmp_path, env=environment))
    assert [process.wait(60) for process in running] == [0, 0]
    summary = json.loads((tmp_path / "s.json").read_text())
    assert summary["results"]["together:Together"]["counts"]["tp"] in counts.values()
    (saved,) = (tmp_path / "saved").iterdir()
    ids = [json.loads(line)["id"] for line in saved.read_text().splitlines()]
    assert len(ids) == counts[ids[0][0]]
    assert len({each[0] for each in ids}) == 1
    left = {path.name for path in tmp_path.iterdir() if ".at" not in path.name}
    files = {"a.jsonl", "b.jsonl", "s.json", "saved", "together.py"}
    assert left - {"__pycache__"} == files


# what is refused before a detector runs


def test_what_would_fail_at_the_end_fails_at_the_start(
    echoes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(echoes / "rows.jsonl", [echo_row("1", "hit", "a")])
    (echoes / "list.yaml").write_text("- 1\n")
    (echoes / "number.yaml").write_text("plugins: 5\n")
    given = ("--data", path, "--detectors", SEEN, "--output", "s.json")
    assert refused(*given, "--labels", "x.csv", code=2) == (
        "--labels x.csv: no garak report is among the data; give one with --data, or"
        " leave --labels out"
    )
    for name in ("list.yaml", "number.yaml"):
        said = refused(*given, "--config", name, code=2)
        start = f"--config {echoes / name}: not garak's structure; expected "
        assert said.startswith(start)
    assert refused(*given, "--detector-options", "none.json", code=2) == (
        "--detector-options 'none.json': neither a JSON object nor a file (no such file"
        ' or directory); expected {"module": {"Class": {"option": "value"}}}'
    )
    assert refused(*given[:-1], echoes, code=2) == (
        f"--output {echoes}: a folder; name a file in it"
    )
    linked = echoes / "linked.jsonl"
    os.link(path, linked)
    assert refused(*given[:-1], linked, code=2) == (
        f"--output {linked}: would overwrite the input {path}; give each output a path"
        " of its own"
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert refused(*given, code=2) == (
        "SOURCE_DATE_EPOCH is 'today'; expected seconds since 1970-01-01"
    )
    assert not (echoes / "seen.jsonl").exists()


def test_a_folder_that_cannot_be_written_is_named(echoes: Path) -> None:
    path = write_lines(echoes / "rows.jsonl", [echo_row("1", "hit", "a")])
    given = ("--data", path, "--detectors", ECHO)
    for output, saved, said in (
        (path / "s.json", (), f"{path}/s.json"),
        ("s.json", ("--save-datasets", path / "x"), f"{path}/x"),
    ):
        found = refused(*given, "--output", output, *saved)
        assert found.startswith(f"{said}: cannot be written (")


SENSELESS = (
    *("--seed -1", "--confidence 1", "--eval-threshold nan"),
    *("--eval-threshold 1.1", "--min-samples x", "--jobs 0", "--backend spark"),
    *("--columns output", "--columns output=a,b", "--label-values maybe=1"),
    *("--label-values hit", "--no-such-option"),
)


def test_options_that_make_no_sense_are_named() -> None:
    for arguments in SENSELESS:
        shown = tbsa(*EVALUATE, *arguments.split())
        assert (shown.code, shown.out) == (2, "")
        assert arguments.split()[0] in shown.err
    found = tbsa(*EVALUATE, "--columns", "output=").err
    assert "expected name=value,..., not 'output='" in found


def test_offline_is_for_the_libraries_too(
    echoes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")
    for variable in names:
        monkeypatch.setenv(variable, "0")
    path = write_lines(echoes / "rows.jsonl", [echo_row("1", "hit", "a")])
    evaluated(echoes, "--data", path, "--detectors", ECHO, "--offline")
    assert [os.environ[variable] for variable in names] == ["1", "1"]


def test_it_is_served_as_garaks_module_too(echoes: Path) -> None:
    main = importlib.import_module("garak.analyze.detector_eval").main

    def served(*arguments: object) -> Any:
        return shown_by(main, arguments)

    path = write_lines(echoes / "rows.jsonl", echo_rows(1, 1, 1, 1))
    output = echoes / "s.json"
    given = ("--data", path, "--detectors", ECHO, "--output", output)
    shown = served(*given, "--confidence", 0.9)
    assert "F1 (90 %)" in shown.out
    assert (shown.code, shown.lines[-1]) == (0, f"written: {output}")
    assert counts_of(json.loads(output.read_text())) == {ECHO: (1, 1, 1, 1)}
    shown = served("--data", "nowhere.jsonl")
    assert (shown.code, shown.error) == (
        1,
        f"{PROGRAM}: nowhere.jsonl: cannot be read (no such file or directory); give an"
        " existing file or folder",
    )
    assert "python -m garak.analyze.detector_eval" in served("--help").out
