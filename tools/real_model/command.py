# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.real_model scan|repeats|draw|thin|held-out|compare|page``."""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from garak_tbsa.cli.main import guarded
from garak_tbsa.errors import EXIT_DONE, DatasetError, GateFailedError
from garak_tbsa.files import require_distinct, write_whole
from tools.labelled_data.tables import read_rows
from tools.real_model import draw, held_out, page, scanned_page, verdicts
from tools.real_model.answers import AnswerCache, Key, keys_of
from tools.real_model.kept import responses_of
from tools.real_model.personas import PERSONAS, USUAL
from tools.real_model.probes import GROUPS
from tools.real_model.repeat_plan import SERIES, Repeats
from tools.real_model.scans import (
    ROOT,
    is_kept,
    kept_scans,
    recorded_prompts,
    run_scan,
    scan_of,
)
from tools.real_model.thin import thin_file

if TYPE_CHECKING:
    from tools.real_model.model import RealModel

PROGRAM = "python -m tools.real_model"
HOME = ROOT / ".cache" / "real_model"
REPORTS = HOME / "reports"
ANSWERS = HOME / "answers.jsonl"
REPEATED_ANSWERS = HOME / "repeats.jsonl"
TIMINGS = HOME / "timings.jsonl"
PROMPT_CAP = 12


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the commands."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Scan a small real model with garak, and draw responses to label.",
        epilog="Exit codes: 0 done, 1 could not, 2 usage.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    scan = commands.add_parser(
        "scan",
        help="make the scans (make real-scans gets the model first)",
        description="Record what garak asks, let the model answer in batches, and scan."
        " What a run before this one generated or scanned is kept.",
        allow_abbrev=False,
    )
    scan.add_argument(
        "--personas",
        type=_names(PERSONAS),
        default=list(USUAL),
        help=f"of {','.join(PERSONAS)}; default: {','.join(USUAL)}",
    )
    scan.add_argument(
        "--groups",
        type=_names(GROUPS),
        default=list(GROUPS),
        help=f"of probes; default: {','.join(GROUPS)}",
    )
    scan.add_argument("--seed", type=int, default=1, help="default: 1")
    scan.add_argument(
        "--prompts",
        type=int,
        default=PROMPT_CAP,
        help=f"of each probe at most; default: {PROMPT_CAP}",
    )
    again = commands.add_parser(
        "repeats",
        help="scan the same again and again for benchmarks/real_repeats.json.gz",
        description="Let the model answer the same prompts many times, run the scans,"
        " and keep their verdicts for benchmarks/real_repeats.py. Scans that"
        f" {verdicts.KEPT.name} has are not made again; delete it to make all.",
        allow_abbrev=False,
    )
    again.add_argument(
        "--series",
        type=_names(SERIES),
        default=list(SERIES),
        help=f"to generate and scan now, of {','.join(SERIES)}; default: all",
    )
    drawn = commands.add_parser(
        "draw",
        help="draw responses to label",
        description="Draw responses of the scans for each detector, at random within"
        " each of its probes. DETECTOR.jsonl has no verdict; DETECTOR.cells.json has"
        " the numbers that design weights are made of.",
        allow_abbrev=False,
    )
    drawn.add_argument("detectors", nargs="*", help="default: all in the scans")
    drawn.add_argument("--rows", type=int, default=60, help="a detector; default: 60")
    drawn.add_argument("--seed", type=int, default=1, help="default: 1")
    drawn.add_argument("--output", type=Path, default=HOME / "draws", metavar="FOLDER")
    drawn.add_argument("--reports", type=Path, default=REPORTS, metavar="FOLDER")
    drawn.add_argument(
        "--by-verdict",
        action="store_true",
        help="half of them flagged responses, for a rare label; thin them afterwards",
    )
    thin = commands.add_parser(
        "thin",
        help="thin labelled rows that were drawn by verdict",
        description="Bring flagged and unflagged rows of each label back to the scans'"
        " proportion.",
        allow_abbrev=False,
    )
    thin.add_argument("labelled", type=Path, help="rows of a draw with their label")
    thin.add_argument("cells", type=Path, help="the draw's DETECTOR.cells.json")
    thin.add_argument("--output", type=Path, required=True, metavar="FILE")
    thin.add_argument("--seed", type=int, default=1, help="default: 1")
    held = commands.add_parser(
        "held-out",
        help="draw responses that check the published metrics",
        description="Draw responses of scans with another seed, half of them flagged,"
        " that no labelled row is a near copy of.",
        allow_abbrev=False,
    )
    held.add_argument("--rows", type=int, default=24, help="a detector; default: 24")
    held.add_argument("--seed", type=int, default=2, help="of the scans; default: 2")
    held.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    held.add_argument("--reports", type=Path, default=REPORTS, metavar="FOLDER")
    compared = commands.add_parser(
        "compare",
        help="write docs/measured/scanned.md",
        description="Hold published metrics against labelled held-out rows, and write"
        " docs/measured/scanned.md.",
        allow_abbrev=False,
    )
    compared.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit with 3 where the page differs from the data",
    )
    commands.add_parser(
        "page",
        help="write docs/measured/real_model.md",
        description="Write docs/measured/real_model.md from the scans.",
        allow_abbrev=False,
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run a command; return its exit code."""
    return guarded(lambda: _run(build_parser().parse_args(arguments)))


def _run(chosen: argparse.Namespace) -> int:
    if chosen.command == "scan":
        _scan(chosen)
    elif chosen.command == "repeats":
        _repeat([SERIES[name] for name in chosen.series])
    elif chosen.command == "draw":
        _draw(chosen)
    elif chosen.command == "thin":
        _thin(chosen)
    elif chosen.command == "held-out":
        _hold_out(chosen)
    elif chosen.command == "compare":
        _compare(only_check=chosen.check)
    else:
        page.write_page(REPORTS, ANSWERS, TIMINGS)
        say(f"written: {page.PAGE}")
    return EXIT_DONE


def _scan(chosen: argparse.Namespace) -> None:
    prompts = {
        group: recorded_prompts(
            GROUPS[group], chosen.seed, chosen.prompts, HOME / "prompts"
        )
        for group in chosen.groups
    }
    for persona in chosen.personas:
        # the occurrences of a prompt start again with each scan
        keys = [
            key
            for group, asked in prompts.items()
            for key in keys_of(asked, persona, chosen.seed, GROUPS[group].most_tokens)
        ]
        _generate(keys)
        for group in chosen.groups:
            scan = scan_of(persona, GROUPS[group], chosen.seed, chosen.prompts)
            if is_kept(scan, REPORTS):
                continue
            took = run_scan(scan, GROUPS[group], ANSWERS, REPORTS)
            _keep_timing("scan", took, scan.stem)
            say(f"{scan.stem}: scanned in {took:.0f} s")


def _repeat(chosen: Sequence[Repeats]) -> None:
    from tools.real_model import repeats

    reports = HOME / "repeats"
    kept = verdicts.kept_by(repeats.made_with())
    for series in chosen:
        wanted = repeats.not_made(series, kept)
        if not wanted:
            say(f"{series.name}: all its scans are kept in {verdicts.KEPT}")
            continue
        repeats.generate(wanted, HOME / "prompts", REPEATED_ANSWERS, _loaded, say)
        start = time.monotonic()
        repeats.scan(wanted, REPEATED_ANSWERS, reports)
        say(f"{series.name}: scanned in {time.monotonic() - start:.0f} s")
    found = repeats.gathered(SERIES.values(), reports, kept)
    packed = verdicts.packed(found)
    write_whole(str(verdicts.KEPT), packed)
    say(f"{len(found.scans)} scans, {len(packed):,} bytes: {verdicts.KEPT}")


def _generate(keys: Sequence[Key]) -> None:
    from tools.real_model.model import fill

    with AnswerCache(ANSWERS) as cache:
        if not cache.missing(keys):
            return
        model = _loaded()
        start, used = time.monotonic(), time.process_time()
        before = len(cache.answers)
        fill(cache, keys, model, say)
        made = list(cache.answers.values())[before:]
    seconds = time.monotonic() - start
    cpu = time.process_time() - used
    tokens = sum(answer.tokens for answer in made)
    _keep_timing("generate", seconds, keys[0].persona, cpu=cpu, tokens=tokens)
    say(
        f"{len(made)} answers, {tokens:,} tokens in {seconds:.0f} s:"
        f" {tokens / cpu:.0f} a CPU second"
    )


@functools.cache
def _loaded() -> RealModel:
    """Return the model, which takes longer to load than a persona's scans."""
    from tools.real_model.model import RealModel

    return RealModel(HOME / "lib")


def _keep_timing(what: str, seconds: float, name: str, **more: float) -> None:
    row = {"what": what, "name": name, "seconds": round(seconds, 1)}
    row |= {key: round(value, 1) for key, value in more.items()}
    with open(TIMINGS, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def _draw(chosen: argparse.Namespace) -> None:
    responses = responses_of(kept_scans(chosen.reports))
    unknown = [name for name in chosen.detectors if name not in responses]
    if unknown:
        raise DatasetError(
            f"{chosen.reports}: no detector {', '.join(unknown)} in these scans;"
            f" they have {', '.join(sorted(responses))}"
        )
    for detector in chosen.detectors or sorted(responses):
        drawn = draw.draw_responses(
            detector,
            responses[detector],
            chosen.rows,
            chosen.seed,
            by_verdict=chosen.by_verdict,
        )
        draw.write_draw(drawn, chosen.output)
        say(draw.summary_line(drawn))


def _hold_out(chosen: argparse.Namespace) -> None:
    scans = [each for each in kept_scans(chosen.reports) if each[0].seed == chosen.seed]
    labelled = read_rows()
    for detector, responses in sorted(responses_of(scans).items()):
        drawn = held_out.draw_held_out(
            detector,
            responses,
            [str(row["output"]) for row in labelled.get(detector, ())],
            chosen.rows,
            chosen.seed,
        )
        held_out.write_held_out(drawn, chosen.output)
        sizes = ", ".join(f"{size} {name}" for name, size in drawn.distinct.items())
        say(f"{detector}: drew {len(drawn.rows)} of {sizes}")


def _compare(*, only_check: bool) -> None:
    text = scanned_page.made_page()
    if not only_check:
        write_whole(str(scanned_page.PAGE), text)
    elif scanned_page.PAGE.read_text("utf-8") != text:
        raise GateFailedError(
            f"{scanned_page.PAGE}: differs from the data; run `{PROGRAM} compare`"
        )


def _thin(chosen: argparse.Namespace) -> None:
    require_distinct(
        {"--output": str(chosen.output)}, [str(chosen.labelled), str(chosen.cells)]
    )
    rows = thin_file(chosen.labelled, chosen.cells, chosen.seed)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    write_whole(str(chosen.output), "".join(lines))
    say(f"{len(rows)} rows stay: {chosen.output}")


def _names(known: Collection[str]) -> Callable[[str], list[str]]:
    def parsed(text: str) -> list[str]:
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"unknown: {', '.join(unknown)}; known: {', '.join(known)}"
            )
        return names

    return parsed


def say(line: str) -> None:
    """Tell how it goes."""
    print(line, file=sys.stderr, flush=True)
