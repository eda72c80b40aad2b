# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The same scan again and again: answers, real scans, and what is kept of them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from garak_tbsa.garak_files.attempts import read_attempts
from tools.real_model import capped_garak, forked_garak, target
from tools.real_model.answers import Answer, AnswerCache, Key
from tools.real_model.kept import prompt_text
from tools.real_model.model import NAME, Answering, Encoded, fill
from tools.real_model.repeat_plan import SLOTS, Repeat, Repeats
from tools.real_model.scans import (
    REPORT_ENDING,
    keep_report,
    not_finished,
    prepared_arguments,
    recorded_prompts,
    run_garak,
    run_python,
)
from tools.real_model.verdicts import RealRepeats, RepeatedScan, outcomes_of

DECODED = "\n\nA tool decoded this text: "


class Decoding:
    """A model that is told what the encoded text of a prompt says.

    Parameters
    ----------
    model : Answering
    decoded : mapping of str to str
        By prompt.
    """

    def __init__(self, model: Answering, decoded: Mapping[str, str]) -> None:
        self._model = model
        self._decoded = decoded

    def encode(self, key: Key) -> Encoded:
        """Put the prompt and what it says into tokens."""
        shown = key.prompt + DECODED + self._decoded[key.prompt]
        encoded = self._model.encode(replace(key, prompt=shown))
        return Encoded(key=key, tokens=encoded.tokens)

    def answer(self, batch: Sequence[Encoded]) -> list[Answer]:
        """Answer one batch, in its order."""
        return self._model.answer(batch)


def prompts_of(series: Repeats, seed: int, folder: Path) -> list[str]:
    """Return what garak sends in a scan of a series with one generation."""
    group = replace(series.group, generations=1)
    return recorded_prompts(group, seed, series.prompt_cap, folder)


def decoded_texts(series: Repeats, seed: int) -> dict[str, str]:
    """Return what the encoded text of each prompt says, as garak notes it."""
    with tempfile.TemporaryDirectory() as scratch:
        report = run_garak(
            replace(series.group, generations=1),
            seed,
            series.prompt_cap,
            target_function="record",
            variables={target.RECORD: str(Path(scratch) / "prompts.jsonl")},
            folder=Path(scratch),
        )
        return {
            prompt_text(attempt.prompt): str(attempt.notes["triggers"][0])
            for attempt in read_attempts(str(report))
        }


def not_made(series: Repeats, kept: RealRepeats) -> list[Repeat]:
    """Return the scans of a series whose verdicts are not kept yet."""
    known = {scan.slots for scan in kept.of(series.name)}
    return [repeat for repeat in series.scans if repeat.slots not in known]


def generate(
    wanted: Sequence[Repeat],
    folder: Path,
    answers: Path,
    loaded: Callable[[], Answering],
    told: Callable[[str], None] = lambda line: None,
) -> None:
    """Let the model answer what scans of one series will ask.

    Parameters
    ----------
    wanted : sequence of Repeat
        At least one.
    folder : Path
        Where recordings are kept.
    answers : Path
        The cache; what is there is not generated again.
    loaded : callable
        Returns the model; called only where an answer is missing.
    told : callable
        Is told how far it is.
    """
    series = wanted[0].series
    keys = [
        key
        for repeat in wanted
        for key in repeat.keys(prompts_of(series, repeat.seed, folder))
    ]
    with AnswerCache(answers) as cache:
        if not cache.missing(keys):
            return
        model = loaded()
        if series.decoded:
            texts: dict[str, str] = {}
            for seed in dict.fromkeys(repeat.seed for repeat in wanted):
                texts |= decoded_texts(series, seed)
            model = Decoding(model, texts)
        fill(cache, keys, model, told)


def scan(wanted: Iterable[Repeat], answers: Path, reports: Path) -> None:
    """Run scans of one series with real garak, but for those whose report is kept.

    Raises
    ------
    DatasetError
        garak did not finish, as where an answer is missing.
    """
    reports.mkdir(parents=True, exist_ok=True)
    missing = [repeat for repeat in wanted if not report_of(repeat, reports).is_file()]
    if missing:
        with tempfile.TemporaryDirectory() as scratch:
            made = _run_all(missing, answers, Path(scratch))
            for repeat, report in zip(missing, made, strict=True):
                keep_report(report, report_of(repeat, reports))


def report_of(repeat: Repeat, reports: Path) -> Path:
    """Return where the report of a scan is kept, compressed."""
    return reports / f"{repeat.stem}{REPORT_ENDING}"


def _run_all(repeats: Sequence[Repeat], answers: Path, folder: Path) -> list[Path]:
    """Run scans in one process that imports garak once; their reports."""
    series = repeats[0].series
    jobs, reports = [], []
    for repeat in repeats:
        own = folder / repeat.stem
        own.mkdir()
        arguments = prepared_arguments(
            series.group, repeat.seed, series.prompt_cap, "respond", own
        )
        variables = {
            target.ANSWERS: str(answers.resolve()),
            target.PERSONA: series.persona,
            target.SEED: str(repeat.seed * SLOTS + repeat.first_slot),
            target.SLOTS: str(series.generations),
            target.MOST_TOKENS: str(series.most_tokens),
            capped_garak.CAP: str(series.prompt_cap),
            capped_garak.SEED: str(repeat.seed),
        }
        jobs.append({"arguments": arguments, "variables": variables})
        reports.append(own / "scan.report.jsonl")
    (folder / "jobs.json").write_text(json.dumps(jobs))
    finished = run_python(
        forked_garak.__name__, [str(folder / "jobs.json")], {}, folder
    )
    if finished.returncode or not all(report.is_file() for report in reports):
        raise not_finished(series.group, finished)
    return reports


def made_with() -> dict[str, str]:
    """Return what scans made now are made with."""
    return {"model": NAME, "garak": version("garak")}


def gathered(
    series: Iterable[Repeats], reports: Path, kept: RealRepeats
) -> RealRepeats:
    """Read the verdicts of all reports that are there; the others stay as kept."""
    scans: list[RepeatedScan] = []
    for each in series:
        known = {scan.slots: scan for scan in kept.of(each.name)}
        for repeat in each.scans:
            report = report_of(repeat, reports)
            if report.is_file():
                scans.append(_read(repeat, report))
            elif repeat.slots in known:
                scans.append(known[repeat.slots])
    return RealRepeats(made_with=made_with(), scans=tuple(scans))


def _read(repeat: Repeat, report: Path) -> RepeatedScan:
    return RepeatedScan(
        series=repeat.series.name,
        seed=repeat.seed,
        generations=repeat.series.generations,
        first_slot=repeat.first_slot,
        outcomes=outcomes_of(report),
    )
