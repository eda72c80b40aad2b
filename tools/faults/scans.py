# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Faults on the hook in a real garak scan of an offline target."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tools.faults.stage import Ended, Files, Stage, can_mount
from tools.faults.trials import Problems
from tools.fuzz import oracle

ENDED = "garak run complete"
PROBES = "probes.goodside.ThreatenJSON,probes.goodside.WhoIsRiley"
OUTPUTS = ("json", "html", "junit", "markdown", "sarif")
ENDINGS = (".tbsa.json", ".tbsa.html", ".tbsa.junit.xml", ".tbsa.md", ".tbsa.sarif")
WINDOW = 0.7
"""Seconds after garak's last line in which the hook works."""

SECONDS = 100.0
"""More than garak takes and the hook's own time limit (60 s) together."""


class Scan:
    """One scan with its reports in a folder beside the stage's outputs."""

    def __init__(self, stage: Stage, settings: dict[str, Any]) -> None:
        self.stage = stage
        self.runs = stage.folder / "runs"
        self.runs.mkdir()
        config = stage.folder / "scan.json"
        config.write_text(json.dumps({"reporting": {"tbsa": settings}}))
        self.settled: Files = {}
        self.lines: list[str] = []

    @property
    def report(self) -> Path:
        """The report that garak writes."""
        return self.runs / "scan.report.jsonl"

    def run(self, then: Callable[[subprocess.Popen[bytes]], None]) -> Ended:
        """Scan; ``then`` is called when garak has said that it is done."""
        error_path = self.stage.folder / "scan.err"
        with (
            open(error_path, "wb") as error,
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "garak", "--config", "scan.json"),
                    *("--target_type", "function.Single", "--generations", "1"),
                    *("--target_name", "garak_tbsa.demo_target#respond"),
                    *("--seed", "1", "--spec", PROBES),
                    *("--report_prefix", str(self.runs / "scan")),
                ],
                cwd=self.stage.folder,
                env=self.stage.variables(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=error,
            ) as process,
        ):
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            self._read(process, then)
            process.wait()
            over = not watch.is_alive()
            watch.cancel()
        text = error_path.read_bytes().decode("utf-8", "backslashreplace")
        code = None if over else process.returncode
        return Ended(code=code, out="".join(self.lines), err=text)

    def _read(
        self,
        process: subprocess.Popen[bytes],
        then: Callable[[subprocess.Popen[bytes]], None],
    ) -> None:
        assert process.stdout is not None
        for raw in process.stdout:
            line = raw.decode("utf-8", "backslashreplace")
            self.lines.append(line)
            if ENDED in line and not self.settled:
                self.settled = self.garaks_files()
                then(process)

    def garaks_files(self) -> Files:
        """Return report, page and hit log."""
        return {
            path.name: path.read_bytes()
            for path in sorted(self.runs.glob("scan.*"))
            if ".tbsa" not in path.name
        }

    def problems(self) -> Problems:
        """Name what garak wrote and is changed, and outputs that are not whole."""
        if not self.settled:
            return [f"garak did not end its scan: {''.join(self.lines)[-300:]!r}"]
        found = []
        if self.garaks_files() != self.settled:
            found.append("garak's own files were changed")
        for ending in ENDINGS:
            path = self.runs / f"scan{ending}"
            if path.is_file() and not _is_whole(path, self.report):
                found.append(f"{path.name} is torn")
        return found

    def again(self) -> Problems:
        """Score the report into the same files: they are there, and nothing else."""
        outputs = {
            "-j": ".tbsa.json",
            "--html": ".tbsa.html",
            "--junit": ".tbsa.junit.xml",
            "--markdown": ".tbsa.md",
            "--sarif": ".tbsa.sarif",
        }
        argv = ["score", str(self.report)]
        for option, ending in outputs.items():
            argv += [option, str(self.runs / f"scan{ending}")]
        ended = self.stage.run(tuple(argv))
        known = {f"scan{ending}" for ending in ENDINGS} | set(self.settled)
        extra = sorted(
            path.name for path in self.runs.iterdir() if path.name not in known
        )
        problems = [f"left over: {', '.join(extra)}"] if extra else []
        return problems if ended.code == 0 else [*problems, f"afterwards {ended}"]


def _is_whole(path: Path, report: Path) -> bool:
    content = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            return Fraction(str(json.loads(content)["tbsa"])) == oracle.tbsa(
                report.read_bytes()
            )
        if path.suffix == ".sarif":
            return bool(json.loads(content)["runs"])
        if path.suffix == ".xml":
            ElementTree.fromstring(content)  # noqa: S314 (our own document)
            return True
    except (ValueError, KeyError, ElementTree.ParseError):
        return False
    return content.rstrip().endswith("</html>" if path.suffix == ".html" else "_")


def _our_lines(ended: Ended) -> list[str]:
    # garak's progress bars end without a line break
    parts = ended.err.replace("\r", "\n").splitlines()
    return [part for part in parts if "garak-tbsa: " in part]


def _everything() -> dict[str, Any]:
    return dict.fromkeys(OUTPUTS, True)


def kill_scan(rng: random.Random) -> Problems:
    """End garak while the hook works."""

    def then(process: subprocess.Popen[bytes]) -> None:
        time.sleep(rng.uniform(0, WINDOW))
        process.send_signal(signal.SIGKILL)

    with Stage() as stage:
        scan = Scan(stage, _everything())
        scan.run(then)
        return scan.problems() + scan.again()


def full_disk_scan(rng: random.Random) -> Problems:
    """Let the disk of one output be full."""
    return _unwritable(rng, lambda stage: stage.fill(rng.choice((0, 0, 4096))))


def no_rights_scan(rng: random.Random) -> Problems:
    """Let one output be where nothing may be written."""
    return _unwritable(rng, lambda stage: stage.read_only(True))


def _unwritable(rng: random.Random, spoil: Callable[[Stage], None]) -> Problems:
    with Stage() as stage:
        scan = Scan(stage, _everything())
        ending = rng.choice((".tbsa.html", ".tbsa.json"))
        link = scan.runs / f"scan{ending}"
        if can_mount():
            stage.own_disk()
            link.symlink_to(stage.out / "away")
            spoil(stage)
        else:
            link.mkdir()
        ended = scan.run(lambda _: None)
        problems = scan.problems()
        if ended.code != 0 or "TBSA: " not in ended.out:
            problems.append(f"exit {ended.code}, {ended.out[-300:]!r}")
        if len(_our_lines(ended)) != 1:
            problems.append(f"not one line of ours: {_our_lines(ended)}")
        if link.is_symlink():
            link.unlink()
        else:
            link.rmdir()
        return problems + scan.again()


def hang_scan(rng: random.Random) -> Problems:
    """Let the baseline be a pipe that says nothing."""
    with Stage() as stage:
        pipe = stage.folder / "baseline.report.jsonl"
        os.mkfifo(pipe)
        silent = os.open(pipe, os.O_RDWR) if rng.random() < 0.5 else None
        scan = Scan(stage, {**_everything(), "baseline": str(pipe)})
        ended = scan.run(lambda _: None)
        if silent is not None:
            os.close(silent)
        problems = scan.problems()
        if ended.code is None:
            problems.append(f"garak did not end within {SECONDS:.0f} s")
        elif ended.code != 3:
            problems.append(f"exit {ended.code} with a gate that was not judged")
        if "TBSA: " not in ended.out:
            problems.append("the score was not printed")
        return problems + scan.again()


SCAN_FAULTS: dict[str, Callable[[random.Random], Problems]] = {
    "killed": kill_scan,
    "disk full": full_disk_scan,
    "no rights": no_rights_scan,
    "input hangs": hang_scan,
}
