# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a report as one page to label them on, for people without a terminal.

The page holds prompts, texts, goals and labelling rules: no verdict, no score, and
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

from garak_tbsa.garak_files.beside import LABELS_ENDING, labels_path
from garak_tbsa.label_audit.labelling_rules import labelling_rules
from garak_tbsa.label_audit.questions import LabellingTask, Question
from garak_tbsa.label_audit.texts import Texts
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.outputs.html_page import filled

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
    """Return the page.

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
        "name": os.path.basename(labels_path(report)).removesuffix(LABELS_ENDING),
        "rater": rater,
        **_asked(questions, texts),
    }
    data = json.dumps(document, allow_nan=False).translate(IN_HTML)
    general = labelling_rules("").general
    return filled(
        "label.html",
        {
            "report": shown(os.path.basename(report)),
            "outputs": len(questions),
            "general": general,
            "data": Markup(data),  # noqa: S704 - JSON without characters of markup
        },
        styles=["label.css"],
        scripts=["label.js"],
    )


def _known_by(task: LabellingTask) -> str:
    """Return a name for a report that has none: a hash of its attempts' ids."""
    attempts = sorted({place.attempt for place, _ in task.cell_of})
    return sha256("\n".join(attempts).encode("utf-8", "surrogatepass")).hexdigest()


def _asked(questions: Sequence[Question], texts: Texts) -> dict[str, Any]:
    """Return the outputs; prompts and rules, which many of them share, once each."""
    places = [question.place for question in questions]
    prompts: dict[str, int] = {}
    rules: dict[tuple[str, ...], int] = {}
    rows = []
    for question in questions:
        text = texts.of(question.place, places)
        own = labelling_rules(question.detector).stated
        rows.append(
            {
                "attempt": question.place.attempt,
                "output_index": question.place.output_index,
                "detector": question.detector,
                "probe_shown": readable(shown(question.probe)),
                "detector_shown": readable(shown(question.detector)),
                "goal": None if text.goal is None else readable(text.goal),
                "prompt": prompts.setdefault(readable(text.prompt), len(prompts)),
                "text": None if text.text is None else readable(text.text),
                "rule": rules.setdefault(tuple(map(readable, own)), len(rules)),
            }
        )
    return {"questions": rows, "prompts": list(prompts), "rules": list(rules)}
