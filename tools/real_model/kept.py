# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The kept reports read back: each output with what a detector's label needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import Attempt, read_attempts
from tools.real_model.scans import Scan

THRESHOLD = 0.5
"""garak's ``eval_threshold``, which these scans leave as it is."""


@dataclass(frozen=True, kw_only=True)
class Response:
    """One output that a detector has judged.

    Attributes
    ----------
    scan : Scan
    probe : str
    attempt : str
        The uuid of garak's row.
    index : int
        Which of the attempt's outputs, from 0.
    prompt, output : str
    notes : mapping
    goal : str or None
    flagged : bool
        The detector's verdict.
    """

    scan: Scan
    probe: str
    attempt: str
    index: int
    prompt: str
    output: str
    notes: Mapping[str, Any]
    goal: str | None
    flagged: bool


def responses_of(
    scans: Iterable[tuple[Scan, Path]],
) -> dict[str, list[Response]]:
    """Return the judged outputs of all scans by detector.

    An output that the target did not give, or that the detector did not judge, is no
    response.

    Raises
    ------
    DatasetError, ReportError
        A report is missing or cannot be read.
    """
    by_detector: dict[str, list[Response]] = {}
    for scan, path in scans:
        if not path.is_file():
            raise DatasetError(
                f"{path}: expected the report of {scan.stem}, found none"
            )
        for attempt in read_attempts(str(path)):
            for detector, response in _judged(scan, attempt):
                by_detector.setdefault(detector, []).append(response)
    return by_detector


def prompt_text(prompt: object) -> str:
    """Return what the target was asked: the last turn of a conversation."""
    if isinstance(prompt, str):
        return prompt
    turns = prompt.get("turns") if isinstance(prompt, dict) else None
    last = turns[-1] if isinstance(turns, list) and turns else None
    content = last.get("content") if isinstance(last, dict) else None
    text = content.get("text") if isinstance(content, dict) else None
    return text if isinstance(text, str) else ""


def _judged(scan: Scan, attempt: Attempt) -> Iterator[tuple[str, Response]]:
    if attempt.probe is None or attempt.uuid is None:
        return
    for detector, scores in attempt.scores.items():
        for index, (output, score) in enumerate(
            zip(attempt.outputs, scores, strict=False)
        ):
            if output.text is None or score is None:
                continue
            yield (
                detector,
                Response(
                    scan=scan,
                    probe=attempt.probe,
                    attempt=attempt.uuid,
                    index=index,
                    prompt=prompt_text(attempt.prompt),
                    output=output.text,
                    notes=attempt.notes,
                    goal=attempt.goal,
                    flagged=score >= THRESHOLD,
                ),
            )
