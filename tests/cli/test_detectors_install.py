# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``evaluate --install`` and ``uninstall``, with garak itself reading the result."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from garak_tbsa.cli import detectors_uninstall
from garak_tbsa.cli.detectors_uninstall import alone
from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.installed import MetricsFiles, metrics_files
from tests.behaviour.labelled import write_lines
from tests.garak_own import needs_garak_017

pytestmark = needs_garak_017

Evaluate = Callable[..., int]

GOOD = "base.TriggerListDetector"


@pytest.fixture
def place() -> Iterator[MetricsFiles]:
    """Where garak looks; nothing is left there."""
    found = metrics_files()
    folder = os.path.dirname(found.users)
    assert not os.path.exists(folder)
    yield found
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    def run(*arguments: str, good: int = 0) -> int:
        """Measure on rows that the detector gets right."""
        rows = [
            {
                "output": f"answer {number}: {said}",
                "label": label,
                "notes": {"triggers": ["pwned"]},
            }
            for number in range(good // 2)
            for label, said in (("hit", "PWNED"), ("pass", "no"))
        ]
        data = str(write_lines(tmp_path / "data" / f"{GOOD}.jsonl", rows))
        output = str(tmp_path / "out" / "summary.json")
        data_options = ("--data", data, "--output", output)
        return main(["detectors", "evaluate", *data_options, *arguments])

    return run


def test_a_folder_that_cannot_be_written_leaves_garak_s_metrics(
    place: MetricsFiles, evaluate: Evaluate
) -> None:
    os.makedirs(os.path.dirname(os.path.dirname(place.users)), exist_ok=True)
    with open(os.path.dirname(place.users), "w"):
        pass
    try:
        assert evaluate("--install", "--yes", good=60) == 1
    finally:
        os.unlink(os.path.dirname(place.users))


def test_who_cannot_have_the_lock_says_so(
    place: MetricsFiles,
    evaluate: Evaluate,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detectors_uninstall, "LONGEST_WAIT", 0.2)
    told = (
        f"garak-tbsa: {os.path.dirname(place.users)}.lock: another process has"
        " installed detector metrics for 0.2 s and has not ended; nothing was changed;"
        " run the same command when it has\n"
    )
    with alone(place.users):
        assert evaluate("--install", "--yes", good=60) == 1
        assert capsys.readouterr().err == told
        assert main(["detectors", "uninstall"]) == 1
        assert capsys.readouterr().err == told
    assert not os.path.exists(place.users)


HELD_AND_KILLED = """
import os, signal
from garak_tbsa.cli.detectors_uninstall import alone
from garak_tbsa.garak_api.installed import metrics_files
with alone(metrics_files().users):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_nothing_locked(
    place: MetricsFiles, evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-c", HELD_AND_KILLED], check=False)
    assert os.path.exists(f"{os.path.dirname(place.users)}.lock")
    monkeypatch.setattr(detectors_uninstall, "LONGEST_WAIT", 0.2)
    assert evaluate("--install", "--yes", good=60) == 0
