# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Time and memory against garak's own module on the same report, and at start-up.

`score` is the whole answer with the range by attempts, `-q` the digest alone, and
`compare` reads two reports of the size that garak's module reads one of.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.prompted_reports import MB, smaller_scan, write_prompted
from benchmarks.timing import Timing, in_turn, isolated_environment, milliseconds, table

SIZES = (
    (60 * MB, "60 MB", 9, ("0.45", "0.85", "", "2.0")),
    (1000 * MB, "1 GB", 3, ("0.06", "0.40", "", "0.80")),
)
"""Bytes, name, runs, and the largest ratios that are aimed at."""

QUICK_SIZES = SIZES[:1]


def garak_command(report: Path) -> list[str]:
    """Return the command that runs garak's own module, which ours hides."""
    spec = find_spec("garak")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    own = Path(next(iter(spec.submodule_search_locations))) / "analyze" / "tbsa.py"
    code = (
        f"import runpy, sys; sys.argv = ['tbsa', '-r', {str(report)!r}];"
        " sys.stdout.reconfigure(encoding='utf-8');"
        f" runpy.run_path({str(own)!r}, run_name='__main__')"
    )
    return [sys.executable, "-c", code]


def our_program(command: str) -> list[str]:
    """Return ``garak-tbsa`` and one of its commands."""
    return [str(Path(sys.executable).parent / "garak-tbsa"), command]


def our_command(report: Path, *options: str) -> list[str]:
    """Return ``garak-tbsa score``."""
    return [*our_program("score"), *options, str(report)]


def row(name: str, ours: Timing, garaks: Timing, bound: str) -> list[str]:
    """Return one row of the table."""
    return [
        name,
        milliseconds(ours.wall),
        milliseconds(garaks.wall),
        f"{ours.ratio(garaks):.4f}",
        bound,
        f"{ours.peak:.0f} MiB",
        f"{garaks.peak:.0f} MiB",
    ]


def main(quick: bool = False) -> str:
    """Measure, and return the tables; quick leaves the large report out."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        pairs, rows = smaller_scan(), []
        for size, label, runs, bounds in QUICK_SIZES if quick else SIZES:
            report = write_prompted(folder / "first.report.jsonl", pairs, size=size)
            second = folder / "second.report.jsonl"
            shutil.copyfile(report, second)
            cut = folder / "cut.report.jsonl"
            write_prompted(cut, pairs, size=size, digest=False)
            # no user's report is on its way to the disk while it is scored
            os.sync()
            measured = [
                ("`score -q`", our_command(report, "-q")),
                ("`score`", our_command(report)),
                ("`score -q`, no digest", our_command(cut, "-q")),
                ("`compare`", [*our_program("compare"), str(report), str(second)]),
            ]
            # garak's module gives no number without a digest: same rows, its time
            for (name, command), bound in zip(measured, bounds, strict=True):
                commands = [command, garak_command(report)]
                ours, garaks = in_turn(commands, environment, runs)
                rows.append(row(f"{label}: {name}", ours, garaks, bound))
            for path in (report, second, cut):
                path.unlink()
        return "\n\n".join(
            [
                table(
                    [
                        "report: command",
                        "garak-tbsa",
                        "garak's own",
                        "ratio",
                        "at most",
                        "our memory",
                        "garak's",
                    ],
                    rows,
                ),
                start_up(write_prompted(report, pairs), environment),
            ]
        )


def start_up(report: Path, environment: dict[str, str]) -> str:
    """Measure what must import garak, and what an idle interpreter pays."""
    module = [sys.executable, "-m", "garak.analyze.tbsa", "--no-interval"]
    module += ["-r", str(report)]
    bare = [sys.executable, "-c", "import garak.analyze"]
    idle = [sys.executable, "-c", "pass"]
    unregistered = [sys.executable, "-S", "-c", "pass"]
    ours, garaks = in_turn([module, bare], environment, 15)
    register = [sys.executable, "-S", "-c", _REGISTER]
    with_ours, without = in_turn([register, unregistered], environment, 60)
    (interpreter,) = in_turn([idle], environment, 15)
    added = with_ours.beyond(without, cpu=True) * 1000
    return table(
        ["start-up", "measured", "at most"],
        [
            [
                "an interpreter that does nothing",
                f"{interpreter.wall * 1000:.1f} ms",
                "",
            ],
            [
                "`python -m garak.analyze.tbsa` / `python -c 'import garak.analyze'`",
                f"{ours.ratio(garaks):.2f}",
                "",
            ],
            ["our `.pth`, processor time added", f"{added:.2f} ms", "1 ms"],
        ],
    )


_REGISTER = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parent.parent)!r});"
    " import garak_tbsa.host._register"
)

if __name__ == "__main__":
    print(main())
