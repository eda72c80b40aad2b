# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real garak scans: record what garak asks, answer it in batches, scan.

garak asks the same in each scan with the same seed, as its prompts do not depend on
answers for the probes chosen here.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from tools.real_model import capped_garak, target
from tools.real_model.model import NAME
from tools.real_model.personas import PERSONAS
from tools.real_model.probes import Group

ROOT = Path(__file__).parents[2]
REPORT_ENDING = ".report.jsonl.gz"
SCAN_ENDING = ".scan.json"


@dataclass(frozen=True, kw_only=True)
class Scan:
    """How a report was made; kept beside it.

    Attributes
    ----------
    model, persona, group : str
    system : str
        The persona's system prompt.
    temperature : float
    seed : int
    generations : int
    prompt_cap : int
        Prompts of each probe at most.
    most_tokens : int
    garak_version : str
    probes : tuple of str
    """

    model: str
    persona: str
    system: str
    temperature: float
    group: str
    seed: int
    generations: int
    prompt_cap: int
    most_tokens: int
    garak_version: str
    probes: tuple[str, ...]

    @property
    def stem(self) -> str:
        """The report's name without its ending."""
        return f"{self.persona}-{self.group}-{self.seed}"


def scan_of(persona: str, group: Group, seed: int, prompt_cap: int) -> Scan:
    """Describe the scan of a group of probes with a persona."""
    return Scan(
        model=NAME,
        persona=persona,
        system=PERSONAS[persona].system,
        temperature=PERSONAS[persona].temperature,
        group=group.name,
        seed=seed,
        generations=group.generations,
        prompt_cap=prompt_cap,
        most_tokens=group.most_tokens,
        garak_version=version("garak"),
        probes=group.probes,
    )


def recorded_prompts(
    group: Group, seed: int, prompt_cap: int, folder: Path
) -> list[str]:
    """Return what garak sends in a scan, in its order; recorded once, then kept.

    Parameters
    ----------
    group : Group
    seed : int
    prompt_cap : int
    folder : Path
        Where recordings are kept.

    Raises
    ------
    DatasetError
        garak did not finish.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{group.name}-{seed}-{prompt_cap}.jsonl"
    asked = json.dumps(
        {
            "garak": version("garak"),
            "generations": group.generations,
            "probes": group.probes,
        }
    )
    if path.is_file():
        first, *lines = path.read_text(encoding="ascii").splitlines()
        if first == asked:
            return [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as scratch:
        prompts = Path(scratch) / "prompts.jsonl"
        prompts.touch()
        run_garak(
            group,
            seed,
            prompt_cap,
            target_function="record",
            variables={target.RECORD: str(prompts)},
            folder=Path(scratch),
        )
        text = prompts.read_text(encoding="ascii")
    write_whole(str(path), f"{asked}\n{text}")
    return [json.loads(line) for line in text.splitlines()]


def run_scan(scan: Scan, group: Group, answers: Path, reports: Path) -> float:
    """Scan a persona with answers made before; keep the report, compressed.

    Returns
    -------
    float
        Seconds that garak took.

    Raises
    ------
    DatasetError
        garak did not finish, as where an answer is missing.
    """
    reports.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        report = run_garak(
            group,
            scan.seed,
            scan.prompt_cap,
            target_function="respond",
            variables={
                target.ANSWERS: str(answers.resolve()),
                target.PERSONA: scan.persona,
                target.SEED: str(scan.seed),
                target.MOST_TOKENS: str(scan.most_tokens),
            },
            folder=Path(scratch),
        )
        keep_report(report, reports / f"{scan.stem}{REPORT_ENDING}")
    took = time.monotonic() - start
    described = json.dumps(asdict(scan), indent=2, ensure_ascii=False)
    write_whole(str(reports / f"{scan.stem}{SCAN_ENDING}"), described + "\n")
    return took


def keep_report(report: Path, kept: Path) -> None:
    """Compress a report to where it is kept, whole or not at all."""
    part = kept.with_name(f"{kept.name}.part")
    with open(report, "rb") as plain, gzip.open(part, "wb") as packed:
        shutil.copyfileobj(plain, packed)
    part.replace(kept)


def is_kept(scan: Scan, reports: Path) -> bool:
    """Whether there is a report of this very scan."""
    try:
        return (scan, reports / f"{scan.stem}{REPORT_ENDING}") in kept_scans(reports)
    except DatasetError:
        return False


def kept_scans(reports: Path) -> Iterator[tuple[Scan, Path]]:
    """Yield each scan with its report, in the order of their names.

    Raises
    ------
    DatasetError
        There is none, or a description is not one of ours.
    """
    described = sorted(reports.glob(f"*{SCAN_ENDING}"))
    if not described:
        raise DatasetError(f"{reports}: expected scans, found none; make real-scans")
    for path in described:
        try:
            row = json.loads(path.read_bytes())
            scan = Scan(**{**row, "probes": tuple(row["probes"])})
        except (ValueError, KeyError, TypeError) as error:
            raise DatasetError(
                f"{path}: expected what describes a scan, found none"
                f" ({type(error).__name__}); delete it and scan again"
            ) from None
        yield scan, reports / f"{scan.stem}{REPORT_ENDING}"


def run_garak(
    group: Group,
    seed: int,
    prompt_cap: int,
    *,
    target_function: str,
    variables: Mapping[str, str],
    folder: Path,
) -> Path:
    """Run garak, away from the user's settings, models and network; its report.

    Raises
    ------
    DatasetError
        It did not finish: exit code and last line of what it said.
    """
    report = folder / "scan.report.jsonl"
    finished = run_python(
        capped_garak.__name__,
        prepared_arguments(group, seed, prompt_cap, target_function, folder),
        {
            **variables,
            capped_garak.CAP: str(prompt_cap),
            capped_garak.SEED: str(seed),
        },
        folder,
    )
    if finished.returncode or not report.is_file():
        raise not_finished(group, finished)
    return report


def prepared_arguments(
    group: Group, seed: int, prompt_cap: int, target_function: str, folder: Path
) -> list[str]:
    """Write garak's settings into a folder; its arguments, with the report there."""
    config = folder / "garak.json"
    config.write_text(json.dumps(_settings(group, seed, prompt_cap)))
    return [
        *("--config", str(config)),
        *("--target_type", "function.Single"),
        *("--target_name", f"{target.__name__}#{target_function}"),
        *("--report_prefix", str(folder / "scan")),
    ]


def run_python(
    module: str, arguments: Sequence[str], variables: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """Run a module, away from the user's settings, models and network."""
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**_isolated(folder), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def not_finished(
    group: Group, finished: subprocess.CompletedProcess[bytes]
) -> DatasetError:
    """Return the error of a garak that did not finish: the last line that it said."""
    said = finished.stdout.decode("utf-8", "backslashreplace").splitlines()
    last = next((line for line in reversed(said) if line.strip()), "nothing")
    return DatasetError(
        f"garak ended with {finished.returncode} on the probes {group.name!r}:"
        f" {last.strip()[:300]}"
    )


def _settings(group: Group, seed: int, prompt_cap: int) -> dict[str, object]:
    return {
        "run": {
            "seed": seed,
            "generations": group.generations,
            "soft_probe_prompt_cap": prompt_cap,
        },
        "plugins": {"probe_spec": ",".join(group.probes)},
    }


def _isolated(folder: Path) -> dict[str, str]:
    kept: Sequence[str] = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **{f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "CONFIG")},
        "XDG_CACHE_HOME": str(ROOT / ".cache" / "real_model" / "garak"),
        "HF_HUB_OFFLINE": "1",
        # some probes draw their prompts from sets
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
        "GARAK_TBSA": "0",
    }
