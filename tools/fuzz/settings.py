# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Settings under ``reporting.tbsa``, mutated."""

from __future__ import annotations

import json
import random
from typing import Any

from tools.fuzz.case import Case, Failure
from tools.fuzz.checks import of_outcome
from tools.fuzz.drive import Outcome, Workbench
from tools.fuzz.mutate import change_somewhere, hostile, to_line

FILE = "settings.json"
USUAL: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("enabled", (True, False)),
    ("json", (True, False)),
    ("html", (True, False)),
    ("markdown", (True, False)),
    ("junit", (True, False)),
    ("sarif", (True, False)),
    ("fail_under", (1, 3.5, 5, None)),
    ("require_tier1_grade", (1, 3, 5, 3.0, None)),
    ("min_coverage", (0, 0.5, 1, None)),
    ("alpha", (0.01, 0.05)),
    ("formula", ("documented", "garak")),
    ("time_limit", (1, 60, 0.5, 3600)),
    ("baseline", ("old.report.jsonl", None)),
)
MISSPELT = ("fail-under", "fail_udner", "Json", "jsn", "gate", "enabeld", "baseline ")


def make(rng: random.Random, origin: str) -> Case:
    """Return settings as YAML may give them."""
    usual = rng.sample(USUAL, rng.randint(0, 5))
    settings: Any = {name: rng.choice(values) for name, values in usual}
    for _ in range(rng.choice((0, 1, 1, 2))):
        change_somewhere(settings, rng)
    if rng.random() < 0.2:
        settings[rng.choice(MISSPELT)] = hostile(rng)
    if rng.random() < 0.1:
        settings = hostile(rng)
    content = to_line(settings, random.Random(0))  # noqa: S311
    return Case(subject="settings", origin=origin, files={FILE: content}, argv=())


def run(case: Case, bench: Workbench) -> Outcome:
    """Read the settings as the hook does; an answer is exit code 0."""
    from garak_tbsa.cli.main import guarded
    from garak_tbsa.host.settings import read_settings

    try:
        raw = json.loads(case.files[FILE])
    except (ValueError, RecursionError):
        # YAML would not give this to garak
        return Outcome(code=0, out="", err="")

    def read() -> int:
        read_settings(raw)
        return 0

    return bench.call(case, lambda: guarded(read))


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong: no answer, no single line, a misspelt key let in."""
    failure = of_outcome(case, outcome)
    if failure is None and outcome.code == 0 and _has_unknown_key(case):
        return Failure(kind="an unknown setting let through", at="settings", text="")
    return failure


def _has_unknown_key(case: Case) -> bool:
    try:
        raw = json.loads(case.files[FILE])
    except (ValueError, RecursionError):
        return False
    return isinstance(raw, dict) and bool(set(raw) & set(MISSPELT))
