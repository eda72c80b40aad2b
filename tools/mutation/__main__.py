# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Change the code, run its tests, write docs/measured/mutations.md."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tools.mutation.mutants import Mutant, mutants_of
from tools.mutation.page import FLOOR, Campaign, page, share_noticed
from tools.mutation.runner import Fate, find_covering, preload, run_mutants

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "measured" / "mutations.md"
FILES = (
    "garak_tbsa/tbsa/**/*.py",
    *(f"garak_tbsa/detector_eval/{name}.py" for name in ("metrics", "intervals")),
    *(f"garak_tbsa/detector_eval/{name}.py" for name in ("dataset", "run")),
)
TESTS = (
    *("tests/tbsa", "tests/detector_eval", "tests/cli", "tests/gold"),
    *("tests/garak_files", "tests/garak_api/test_scoring.py"),
    "tests/host/test_served_tbsa.py",
)
LINES = {
    Fate.SURVIVED: "not noticed",
    Fate.NOT_RUN: "run by no test",
    Fate.TIMED_OUT: "timed out",
}


def main() -> int:
    """Run the campaign; 1 where too few mutants are noticed."""
    options = _options()
    os.chdir(ROOT)
    _isolate()
    preload()
    paths = sorted({p.relative_to(ROOT) for g in FILES for p in ROOT.glob(g)})
    wanted = [p for p in paths if not options.only or options.only in p.as_posix()]
    since = time.monotonic()
    covering = find_covering(ROOT, [path.as_posix() for path in wanted], TESTS)
    spent = time.monotonic() - since
    print(f"{len(covering.seconds)} tests pass, {spent:.0f} s", flush=True)
    possible: dict[str, int] = {}
    drawn: list[Mutant] = []
    most = options.most or None
    for path in wanted:
        rng = random.Random(f"{options.seed} {path.as_posix()}")  # noqa: S311 (a sample)
        mutants = mutants_of(path, ROOT, most=most, rng=rng)
        if mutants.possible:
            possible[path.as_posix()] = mutants.possible
            drawn += mutants.drawn
    print(f"{len(drawn)} mutants, {time.monotonic() - since:.0f} s", flush=True)
    fates = []
    for mutant, fate in run_mutants(drawn, covering, ROOT, options.parallel):
        fates.append((mutant, fate))
        if len(fates) % 50 == 0:
            print(f"{len(fates)} of {len(drawn)}", flush=True)
        if fate in LINES:
            print(f"{mutant.path}:{mutant.line}: {LINES[fate]}")
            print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)
    order = {mutant.source: index for index, mutant in enumerate(drawn)}
    fates.sort(key=lambda each: order[each[0].source])
    campaign = Campaign(possible=possible, fates=fates, most=most, seed=options.seed)
    if not options.only:
        PAGE.write_text(page(campaign), encoding="utf-8")
    share = share_noticed(campaign)
    print(f"{share:.1%} noticed, {time.monotonic() - since:.0f} s")
    return int(share < FLOOR)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation")
    parser.add_argument(
        "--most", type=int, default=12, help="mutants of each file; 0 for all"
    )
    parser.add_argument("--seed", type=int, default=1, help="which ones (default 1)")
    parser.add_argument("--parallel", type=int, default=2, help="processes at once")
    parser.add_argument(
        "--only", default="", help="files whose path holds this text; writes no page"
    )
    return parser.parse_args()


def _isolate() -> None:
    """Give garak folders of its own: it writes below these at import."""
    home = tempfile.mkdtemp(prefix="garak-tbsa-mutation-")
    for name in ("DATA", "CONFIG", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = home
    os.environ["HF_HUB_OFFLINE"] = "1"


if __name__ == "__main__":
    sys.exit(main())
