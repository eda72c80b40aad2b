# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``evaluate --install`` and ``uninstall``, with garak itself reading the result."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from garak_tbsa.cli import detectors_installation
from garak_tbsa.cli.detectors_installation import alone, lock_path
from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.metrics_files import MetricsFiles, metrics_files
from tests.garak_own import needs_garak_017

pytestmark = needs_garak_017

Evaluate = Callable[..., int]

GOOD, FEW = "base.TriggerListDetector", "dan.DAN"


@pytest.fixture
def place() -> Iterator[MetricsFiles]:
    """Where garak looks; nothing is left there."""
    found = metrics_files()
    folder = os.path.dirname(found.users)
    assert not os.path.exists(folder)
    yield found
    shutil.rmtree(folder, ignore_errors=True)


def write(folder: Path, detector: str, count: int, stress: int = 0) -> None:
    """Rows that a detector of triggers gets right, but for every tenth.

    The last ``stress`` of them are stress rows.
    """
    folder.mkdir(exist_ok=True)
    with open(folder / f"{detector}.jsonl", "w") as handle:
        for number in range(count):
            label = ("hit", "pass")[number % 2]
            says = (label == "hit") == (number % 20 > 1)
            row = {
                "id": f"row-{number}",
                "output": f"answer {number}: {'DAN: PWNED' if says else 'no'}",
                "label": label,
                "notes": {"triggers": ["pwned"]},
            }
            if number >= count - stress:
                row["why"] = "made so"
            handle.write(json.dumps(row) + "\n")


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    def run(*arguments: str, **counts: int) -> int:
        data = tmp_path / "data"
        shutil.rmtree(data, ignore_errors=True)
        for name, count in counts.items():
            write(data, {"good": GOOD, "few": FEW}[name], count)
        output = str(tmp_path / "out" / "summary.json")
        data_options = ("--data", str(data), "--output", output)
        return main(["detectors", "evaluate", *data_options, *arguments])

    return run


def rates(detector: str) -> tuple[float, float]:
    """What garak corrects the intervals of a detector with."""
    from garak.analyze.detector_metrics import DetectorMetrics

    found = DetectorMetrics().get_detector_se_sp(detector)
    return float(found[0]), float(found[1])


def test_metrics_of_the_others_are_still_read(
    place: MetricsFiles, evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    """dan.DAN's interval moved, though only another detector was measured."""
    names = ("mitigation.MitigationBypass", "dan.DAN", GOOD)
    before = {name: rates(name) for name in names}
    assert before[GOOD] == (1.0, 1.0)  # garak has none of it
    assert before["dan.DAN"] == (1.0, 0.75)
    assert evaluate("--install", "--yes", good=60) == 0
    assert rates(GOOD) == (0.9, 0.9)
    for name in ("mitigation.MitigationBypass", "dan.DAN"):
        assert rates(name) == before[name]
    lines = capsys.readouterr().out.splitlines()
    start = lines.index(f"installed for garak: {place.users}")
    assert lines[start + 1] == f"  new: {GOOD}"
    assert lines[start + 2].startswith("  kept from garak: dan.DAN, divergence.Repeat")
    assert main(["detectors", "uninstall"]) == 0
    assert capsys.readouterr().out == (
        f"removed: {place.users}; garak reads its own metrics again\n"
    )
    assert {name: rates(name) for name in names} == before
    assert not os.path.exists(os.path.dirname(place.users))


def test_a_scan_s_intervals_use_them(place: MetricsFiles, evaluate: Evaluate) -> None:
    """garak's own correction, as its report computes it."""
    from garak.analyze import detector_metrics

    evaluate("--install", "--yes", good=60)
    detector_metrics._detector_metrics_cache = None
    try:
        metrics = detector_metrics.get_detector_metrics()
        assert metrics.metrics_loaded
        assert metrics.get_detector_se_sp(f"detector.{GOOD}") == (0.9, 0.9)
    finally:
        detector_metrics._detector_metrics_cache = None


def test_stress_rows_do_not_count(
    place: MetricsFiles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Enough rows of both labels, but not of typical ones."""
    write(tmp_path / "data", GOOD, 60, stress=22)
    data, output = str(tmp_path / "data"), str(tmp_path / "summary.json")
    options = ("--data", data, "--output", output, "--install", "--yes")
    assert main(["detectors", "evaluate", *options]) == 1
    assert capsys.readouterr().err == (
        "garak-tbsa: --install: 1 not installed, label more rows, or --force:"
        f" {GOOD} was measured on 19 hits and 19 passes, at least 20 of each needed\n"
    )
    assert not os.path.exists(place.users)


def test_where_all_are_refused_nothing_is_written(
    place: MetricsFiles, evaluate: Evaluate
) -> None:
    assert evaluate("--install", "--yes", few=8) == 1
    assert not os.path.exists(os.path.dirname(place.users))


def test_nothing_is_installed_where_nothing_was_evaluated(
    place: MetricsFiles, evaluate: Evaluate
) -> None:
    assert evaluate("--install", "--yes", "--detectors", "dan.DUDE", good=60) == 1
    assert not os.path.exists(os.path.dirname(place.users))


def test_force_without_install_is_a_usage_error(
    evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--force", good=60) == 2
    assert capsys.readouterr().err == (
        "garak-tbsa: --force: has an effect only with --install; leave it out\n"
    )


def test_a_folder_that_cannot_be_written_leaves_garak_s_metrics(
    place: MetricsFiles, evaluate: Evaluate
) -> None:
    os.makedirs(os.path.dirname(os.path.dirname(place.users)), exist_ok=True)
    with open(os.path.dirname(place.users), "w"):
        pass
    try:
        assert evaluate("--install", "--yes", good=60) == 1
        assert rates("dan.DAN") == (1.0, 0.75)
    finally:
        os.unlink(os.path.dirname(place.users))


def test_a_file_of_garak_s_that_is_broken_is_told(
    place: MetricsFiles, evaluate: Evaluate, capsys: pytest.CaptureFixture[str]
) -> None:
    os.makedirs(os.path.dirname(place.users))
    with open(place.users, "w") as handle:
        handle.write("{")
    assert evaluate("--install", "--yes", good=60) == 1
    assert f"{place.users}, line 1: not JSON" in capsys.readouterr().err
    with open(place.users) as handle:
        assert handle.read() == "{"


def test_who_cannot_have_the_lock_says_so(
    place: MetricsFiles,
    evaluate: Evaluate,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detectors_installation, "LONGEST_WAIT", 0.2)
    told = (
        f"garak-tbsa: {lock_path(place)}: another process has installed detector"
        " metrics for 0.2 s and has not ended; nothing was changed; run the same"
        " command when it has\n"
    )
    with alone(place):
        assert evaluate("--install", "--yes", good=60) == 1
        assert capsys.readouterr().err == told
        assert main(["detectors", "uninstall"]) == 1
        assert capsys.readouterr().err == told
    assert not os.path.exists(place.users)


HELD_AND_KILLED = """
import os, signal
from garak_tbsa.cli.detectors_installation import alone
from garak_tbsa.garak_api.metrics_files import metrics_files
with alone(metrics_files()):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_nothing_locked(
    place: MetricsFiles, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-c", HELD_AND_KILLED], check=False)
    assert os.path.exists(lock_path(place))
    monkeypatch.setattr(detectors_installation, "LONGEST_WAIT", 0.2)
    assert evaluate("--install", "--yes", good=60) == 0
