# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a report on a page to label them on: a file for others, or a server's.

The file holds prompts, texts, goals and labelling rules: no verdict, no score, and
nothing else that a detector said. What is shown was made harmless here, and reaches the
page as text; ids, which a label has to name as they are, are not shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from garak_tbsa.garak_files.places import LABELS, labels_path
from garak_tbsa.labels.labelling_rules import labelling_rules
from garak_tbsa.labels.questions import LabellingTask, Question
from garak_tbsa.labels.texts import OutputText, Texts, effort_text
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.safe_text import readable, shown

IN_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""JSON that no parser of HTML takes for markup."""


def page_text(
    report: str,
    run: str | None,
    task: LabellingTask,
    questions: Sequence[Question],
    texts: Texts,
    rater: str = "",
) -> str:
    """Return the page that holds all its outputs, and exports what is said of them.

    Parameters
    ----------
    report : str
        Its path.
    run : str or None
        The uuid of its run: answers in a browser are kept under it.
    task : LabellingTask
    questions : sequence of Question
    texts : Texts
    rater : str
        Who labels; empty to have the page ask.

    Raises
    ------
    ReportError
        The report cannot be read, or no longer has one of the outputs.
    """
    document = {
        "report": run or _known_by(task),
        "name": os.path.basename(labels_path(report)).removesuffix(LABELS),
        "rater": rater,
        **_asked(questions, texts),
    }
    lengths = [len(row["text"] or "") for row in document["questions"]]
    return _page(
        report,
        document,
        "label_mailed.js",
        outputs=len(questions),
        effort=effort_text(lengths),
    )


def live_page(report: str, rater: str, number: int, count: int, effort: str) -> str:
    """Return the page of a server, which asks it for each output.

    Parameters
    ----------
    report : str
        Its path.
    rater : str
        Who labels, until the page is told another name.
    number, count : int
        Which report it is, from 1, of how many.
    effort : str
        How long labelling takes.
    """
    document = {"rater": rater, "next": f"../{number + 1}/" if number < count else None}
    return _page(report, document, "label_live.js", effort=effort)


def _page(
    report: str,
    document: dict[str, Any],
    script: str,
    *,
    outputs: int | None = None,
    effort: str,
) -> str:
    data = json.dumps(document, allow_nan=False).translate(IN_HTML)
    return filled(
        "label.html",
        {
            "report": shown(os.path.basename(report)),
            "outputs": outputs,
            "effort": effort,
            "general": labelling_rules("").general,
            "data": Markup(data),  # noqa: S704 - JSON without characters of markup
        },
        styles=["label.css"],
        scripts=[script, "label.js"],
    )


def _known_by(task: LabellingTask) -> str:
    """Return a name for a report that has none: a hash of its attempts' ids."""
    attempts = sorted({place.attempt for place, _ in task.stratum_of})
    return sha256("\n".join(attempts).encode("utf-8", "surrogatepass")).hexdigest()


def shown_question(question: Question, text: OutputText) -> dict[str, Any]:
    """Return what is shown of an output, every text made harmless."""
    rule = labelling_rules(question.detector).stated
    return {
        "probe_shown": readable(shown(question.probe)),
        "detector_shown": readable(shown(question.detector)),
        "goal": None if text.goal is None else readable(text.goal),
        "prompt": readable(text.prompt),
        "text": None if text.text is None else readable(text.text),
        "rule": tuple(map(readable, rule)),
    }


def _asked(questions: Sequence[Question], texts: Texts) -> dict[str, Any]:
    """Return the outputs; prompts and rules, which many of them share, once each."""
    places = [question.place for question in questions]
    prompts: dict[str, int] = {}
    rules: dict[tuple[str, ...], int] = {}
    rows = []
    for question in questions:
        row = shown_question(question, texts.of(question.place, places))
        row["attempt"], row["output_index"] = question.place
        row["detector"] = question.detector
        row["prompt"] = prompts.setdefault(row["prompt"], len(prompts))
        row["rule"] = rules.setdefault(row["rule"], len(rules))
        rows.append(row)
    return {"questions": rows, "prompts": list(prompts), "rules": list(rules)}
