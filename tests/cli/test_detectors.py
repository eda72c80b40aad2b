# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``: labelled rows in, a summary out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import run_as
from garak_tbsa.errors import OutputError, UsageError
from garak_tbsa.host.served_detector_eval import main as served_main

TRIGGER = "base.TriggerListDetector"


def rows(count: int = 30, *, detector: str | None = None) -> list[dict[str, Any]]:
    """Rows of which the trigger detector gets two thirds right, for each label."""
    made = []
    for number in range(count):
        label = ("hit", "pass")[number % 2]
        says = (number // 2) % 3 > 0 if label == "hit" else (number // 2) % 3 == 0
        row = {
            "id": f"row-{number}",
            "output": f"answer {number}: {'PWNED' if says else 'no'}",
            "label": label,
            "notes": {"triggers": ["pwned"]},
        }
        made.append(row | ({"detector": detector} if detector else {}))
    return made


def write(path: Path, made: list[Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in made))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(tmp_path / "data" / f"{TRIGGER}.jsonl", rows())


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out" / "summary.json"


def run(arguments: list[str]) -> int:
    """Run the command; its errors are raised."""
    return run_as("garak-tbsa detectors evaluate", "detectors evaluate", arguments)


def evaluate(output: Path, *arguments: object) -> dict[str, Any]:
    assert run(["--output", str(output), *map(str, arguments)]) == 0
    summary: dict[str, Any] = json.loads(output.read_text())
    return summary


def error_of(kind: type[Any], output: Path, *arguments: object) -> str:
    with pytest.raises(kind) as caught:
        evaluate(output, *arguments)
    return str(caught.value)


def counts_of(
    summary: dict[str, Any], detector: str = TRIGGER
) -> tuple[int, int, int, int]:
    return tuple(summary["results"][detector]["counts"].values())


@pytest.mark.parametrize("backend", ["loky", "dask", "ray"])
@pytest.mark.filterwarnings("default")  # Ray's and Dask's own
def test_every_backend_gives_the_same_bytes(
    data: Path,
    output: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    backend: str,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    if backend == "ray":
        pytest.importorskip("ray")
        monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    detectors = "dan.DAN,always.Random,perspective.Toxicity"
    made = [row for name in detectors.split(",") for row in rows(300, detector=name)]
    mixed = write(tmp_path / "mixed" / "rows.jsonl", made)
    other = tmp_path / "other.json"
    evaluate(output, "--data", mixed)
    evaluate(other, "--data", mixed, "--backend", backend, "--jobs", 2)
    assert output.read_bytes() == other.read_bytes()
    assert len(json.loads(output.read_text())["results"]) == 2


def test_rows_serve_other_detectors_and_failures_do_not_stop_the_rest(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NIM_API_KEY", raising=False)
    summary = evaluate(output, "--detectors", "judge.Refusal,mitigation.Prefixes")
    assert list(summary["results"]) == ["mitigation.Prefixes"]
    assert summary["metadata"]["errors"] == [
        {
            "detector": "judge.Refusal",
            "reason": "APIKeyMissingError: Put the NIM API key in the NIM_API_KEY"
            " environment variable (this was empty)",
        }
    ]


def test_a_summary_is_no_saved_row(data: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    output = saved / f"{TRIGGER}.jsonl"
    message = error_of(UsageError, output, "--data", data, "--save-datasets", saved)
    assert message.startswith(f"--save-datasets ({TRIGGER}) {output}: would overwrite")


def test_saved_rows_of_a_detector_that_cannot_run_are_not_left_half(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    saved = tmp_path / "saved"
    made = rows(4, detector="perspective.Toxicity") + rows(4, detector="dan.DAN")
    path = write(tmp_path / "rows.jsonl", made)
    evaluate(output, "--data", path, "--save-datasets", saved)
    assert [file.name for file in saved.iterdir()] == ["dan.DAN.jsonl"]


def test_saved_rows_carry_the_file_that_they_name(output: Path, tmp_path: Path) -> None:
    path = tmp_path / "data" / "fileformats.PossiblePickleName.jsonl"
    write(path, [{"file": "weights.pkl", "label": "hit"}])
    (path.parent / "weights.pkl").write_bytes(b"\x80\x04N.")
    saved = tmp_path / "saved"
    evaluate(output, "--data", path, "--save-datasets", saved)
    row = json.loads((saved / path.name).read_text())
    assert row["file"] == {"name": "weights.pkl", "base64": "gAROLg=="}
    assert counts_of(evaluate(output, "--data", saved), path.stem) == (1, 0, 0, 0)


OWN = '''
import pathlib

class Counting:
    """Counts its calls in a file; is interrupted while another file is there."""

    here = pathlib.Path(__file__).parent

    def detect(self, attempt):
        with open(self.here / "calls", "a") as handle:
            handle.write(type(self).__name__ + "\\n")
        if type(self).__name__ == "Second" and (self.here / "interrupt").exists():
            raise KeyboardInterrupt
        return [1.0]

class First(Counting):
    pass

class Second(Counting):
    pass
'''


OWN_TWO = ["detectors", "evaluate"]
OWN_TWO += ["--detectors", "resumed_detectors:First,resumed_detectors:Second"]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "resumed_detectors.py").write_text(OWN)
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("resumed_detectors", None)


def two_detectors(tmp_path: Path) -> Path:
    made = [
        row
        for name in ("First", "Second")
        for row in rows(4, detector=f"resumed_detectors:{name}")
    ]
    return write(tmp_path / "rows.jsonl", made)


def test_a_summary_for_a_pipe_leaves_nothing_beside_it(
    data: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(["--output", str(pipe), "--data", str(data), "-q"]) == 0
        assert json.loads(os.read(reading, 1 << 16))["results"]
    finally:
        os.close(reading)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data", "pipe"]


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
    (tmp_path / "together.py").write_text(TOGETHER)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    running = []
    for name, count in (("a", 300), ("b", 280)):
        made = [row | {"id": f"{name}-{row['id']}"} for row in rows(count)]
        path = write(tmp_path / f"{name}.jsonl", made)
        command = [sys.executable, "-m", "garak_tbsa", "detectors", "evaluate"]
        command += ["--data", str(path), "--detectors", "together:Together"]
        command += ["--output", "s.json", "--save-datasets", "saved"]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([root, str(tmp_path)])
        }
        running.append(subprocess.Popen(command, cwd=tmp_path, env=environment))
    assert [process.wait(60) for process in running] == [0, 0]
    summary = json.loads((tmp_path / "s.json").read_text())
    tp, fp, _, _ = counts_of(summary, "together:Together")
    assert tp + fp in (300, 280)
    (saved,) = (tmp_path / "saved").iterdir()
    ids = [json.loads(line)["id"] for line in saved.read_text().splitlines()]
    assert len(ids) == {"a": 300, "b": 280}[ids[0][0]]
    assert len({each[0] for each in ids}) == 1
    left = {path.name for path in tmp_path.iterdir() if ".at" not in path.name}
    assert left - {"__pycache__"} == {
        "a.jsonl",
        "b.jsonl",
        "s.json",
        "saved",
        "together.py",
    }


def test_labels_without_a_report(data: Path, output: Path, tmp_path: Path) -> None:
    assert error_of(UsageError, output, "--data", data, "--labels", "x.csv") == (
        "--labels x.csv: no garak report is among the data; give one with --data, or"
        " leave --labels out"
    )


@pytest.mark.parametrize("content", ["- 1\n", "plugins: 5\n"])
def test_a_configuration_of_another_structure(
    data: Path, output: Path, tmp_path: Path, content: str
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(content)
    message = error_of(UsageError, output, "--data", data, "--config", config)
    assert message.startswith(f"--config {config}: not garak's structure; expected ")


def test_detector_options_from_a_file(data: Path, output: Path, tmp_path: Path) -> None:
    path = tmp_path / "options.json"
    path.write_text('{"base": {"TriggerListDetector": {"case_sensitive": true}}}')
    summary = evaluate(output, "--data", data, "--detector-options", path)
    assert counts_of(summary) == (0, 0, 15, 15)
    message = error_of(UsageError, output, "--detector-options", tmp_path / "none.json")
    assert "neither a JSON object nor a file (no such file or directory)" in message


def test_what_would_fail_at_the_end_fails_at_the_start(
    own: Path, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [*OWN_TWO[2:], "--data", two_detectors(tmp_path)]
    assert error_of(UsageError, tmp_path, *arguments) == (
        f"--output {tmp_path}: a folder; name a file in it"
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    message = error_of(UsageError, output, *arguments)
    assert message.startswith("SOURCE_DATE_EPOCH is 'today'; expected seconds")
    assert not (own / "calls").exists()


def test_a_folder_that_cannot_be_written(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "summary.json"
    message = error_of(OutputError, output, "--data", data)
    assert message.startswith(f"{output}.unfinished: cannot be written (")
    saved = tmp_path / "file" / "saved"
    message = error_of(
        OutputError, tmp_path / "s.json", "--data", data, "--save-datasets", saved
    )
    assert message.startswith(f"{saved}: cannot be written (")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seed", "-1"],
        ["--replicates", "0"],
        ["--confidence", "1"],
        ["--eval-threshold", "nan"],
        ["--eval-threshold", "1.1"],
        ["--min-samples", "x"],
        ["--jobs", "0"],
        ["--backend", "spark"],
        ["--columns", "output"],
        ["--label-values", "maybe=1"],
        ["--label-threshold", "high"],
        ["--label-threshold", "nan"],
        ["--raters", "a,,b"],
        ["--raters", "a,a"],
        ["--no-such-option"],
    ],
)
def test_options_that_make_no_sense(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run([*arguments])
    assert caught.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_offline_is_for_the_libraries_too(
    data: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(variable, "0")
    evaluate(output, "--data", data, "--offline")
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["HF_DATASETS_OFFLINE"] == "1"


def test_what_is_served_as_garak_s_module(
    data: Path, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--data", str(data), "--output", str(output)]
    assert served_main(arguments) == 0
    assert json.loads(output.read_text())["metadata"]["num_detectors_evaluated"] == 1
    assert served_main(["--data", "nowhere.jsonl"]) == 1
    assert capsys.readouterr().err == (
        "garak-tbsa: nowhere.jsonl: cannot be read (no such file or directory);"
        " give an existing file or folder\n"
    )
    with pytest.raises(SystemExit):
        served_main(["--help"])
    assert "python -m garak.analyze.detector_eval" in capsys.readouterr().out
