# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One attempt of a report whole, as text in 80 columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from garak_tbsa.garak_files.attempts import Turn, WholeAttempt, turns_of
from garak_tbsa.outputs.evidence_text import text_lines
from garak_tbsa.outputs.text import RULE, wrapped
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.evidence import HOSTILE

MARGIN = "  | "
ROLES = {"system": "System prompt", "user": "Prompt", "assistant": "Response"}


def lines(found: WholeAttempt, report: str, *, only: int | None = None) -> list[str]:
    """Return what a terminal shows: nothing is cut.

    Parameters
    ----------
    found : WholeAttempt
    report : str
        As the user named it.
    only : int or None
        The output to show; None shows all.
    """
    attempt = found.attempt
    probe = _name(attempt.probe or "a probe without a name")
    uuid = f"Attempt {_name(attempt.uuid)}" if attempt.uuid else "An attempt"
    lines = [
        *wrapped("", f"{uuid} of {probe}"),
        *wrapped("", f"Line {attempt.line} of {report}"),
    ]
    if attempt.goal:
        lines += wrapped("", f"Goal: {_name(attempt.goal)}")
    if attempt.notes:
        lines += wrapped("", f"Notes: {_as_json(attempt.notes)}")
    lines += [*wrapped("⚠️ ", HOSTILE), RULE]
    prompt = _asked(attempt.prompt)
    lines += _turn_lines(prompt)
    for index in range(attempt.output_count):
        if only is None or index == only:
            lines += [RULE, *_output_lines(found, index, prompt)]
    if not attempt.output_count:
        lines += [RULE, "The target gave no output."]
    return lines


def _name(text: str | None) -> str:
    return readable(shown(" ".join((text or "").split())))


def _as_json(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        text = "(nothing that JSON has a form for)"
    return _name(text)


def _asked(prompt: object) -> list[Turn]:
    if isinstance(prompt, str):
        return [Turn("user", prompt)]
    return list(turns_of(prompt))


def _turn_lines(turns: Sequence[Turn]) -> Iterator[str]:
    for role, text in turns:
        yield ROLES.get(role) or f"Turn of {_name(role)!r}"
        yield from text_lines(readable(text), MARGIN)
    if not turns:
        yield "The report holds no prompt."


def _output_lines(
    found: WholeAttempt, index: int, asked: Sequence[Turn]
) -> Iterator[str]:
    """The verdicts on an output, the conversation that led to it, and its text."""
    attempt = found.attempt
    yield f"Output {index}"
    yield from _verdict_lines(found, index)
    before = _before(found, index)
    if before is not None and before != list(asked):
        yield "It ended this conversation:"
        yield from _turn_lines(before)
    text = attempt.outputs[index].text
    lang = attempt.outputs[index].lang
    yield "Response" + (f" ({_name(lang)})" if lang else "")
    yield from text_lines("" if text is None else readable(text), MARGIN)
    judged_texts = attempt.judged_texts
    judged = judged_texts[index] if index < len(judged_texts) else None
    if judged is not None and judged != text:
        yield "Response as detectors read it, translated"
        yield from text_lines(readable(judged), MARGIN)


def _before(found: WholeAttempt, index: int) -> list[Turn] | None:
    """What was said before an output; None where the report does not say."""
    conversations = found.attempt.conversations
    if index >= len(conversations):
        return None
    turns = list(conversations[index])
    if turns and turns[-1].role == "assistant":
        turns.pop()
    return turns


def _verdict_lines(found: WholeAttempt, index: int) -> Iterator[str]:
    scores = found.attempt.scores
    for detector in sorted(scores):
        score = scores[detector][index] if index < len(scores[detector]) else None
        if score is None:
            verdict = "gave no verdict"
        else:
            said = "passed it" if score < found.threshold else "HIT"
            verdict = f"{said} (score {score:.3g}, a hit from {found.threshold:.3g} on)"
        yield from wrapped("  ", f"{_name(detector)}: {verdict}")
    if not scores:
        yield "  No detector judged it."
