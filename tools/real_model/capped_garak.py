# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak, with at most so many prompts of each probe, drawn at random.

garak's ``soft_probe_prompt_cap`` is kept by some of its probes only; others would
send 150 prompts where 12 are wanted. The attempts that are sent are garak's own.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Sequence
from typing import Any

CAP, SEED = "REAL_MODEL_CAP", "REAL_MODEL_CAP_SEED"


def drawn(attempts: Sequence[Any], cap: int, seed: str) -> list[Any]:
    """Return at most ``cap`` of the attempts, at random, in their order."""
    if len(attempts) <= cap:
        return list(attempts)
    rng = random.Random(seed)  # noqa: S311 (not for secrets)
    return [attempts[place] for place in sorted(rng.sample(range(len(attempts)), cap))]


def main(arguments: Sequence[str]) -> None:
    """Run garak's command line."""
    from garak import cli

    cap_prompts(int(os.environ[CAP]), os.environ[SEED])
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    cli.main(list(arguments))


def cap_prompts(cap: int, seed: str) -> None:
    """Let every probe of this process send at most so many prompts."""
    from garak.probes.base import Probe

    execute = Probe._execute_all

    def execute_some(probe: Any, attempts: Sequence[Any]) -> Iterable[Any]:
        chosen = drawn(attempts, cap, f"{seed} {probe.probename}")
        return execute(probe, chosen)  # type: ignore[no-any-return]

    Probe._execute_all = execute_some


if __name__ == "__main__":
    main(sys.argv[1:])
