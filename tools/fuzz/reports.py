# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of every dialect, mutated, against the independent score."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.factories import alike_rows, to_bytes
from tools.fuzz import oracle
from tools.fuzz.case import Case, Failure
from tools.fuzz.checks import of_outcome, strict_json
from tools.fuzz.drive import Outcome
from tools.fuzz.mutate import change_bytes, change_somewhere, hostile, to_line

GOLD = Path(__file__).parents[2] / "tests" / "gold"
REPORT = "scan.report.jsonl"
OTHER = "other.report.jsonl"
JSON_OUTPUT = "out.json"
FORMATS = (
    *("--html", "out.html"),
    *("--markdown", "out.md"),
    *("--junit", "out.xml"),
    *("--sarif", "out.sarif"),
    *("--badge", "out.badge.json"),
)
GATES = (
    ("--fail-under", "1"),
    ("--fail-under", "3.5"),
    ("--require-tier1-grade", "3"),
    ("--min-coverage", "0.5"),
    ("--strict",),
)
GATE_OPTIONS = tuple(dict.fromkeys(option for option, *_ in GATES))
Rows = list[dict[str, Any]]


@lru_cache(maxsize=1)
def gold() -> tuple[bytes, ...]:
    """Return the reports that everything starts from.

    Real ones, whose attempts are thinned, and one whose attempts give all counts.
    """
    real = (path.read_bytes() for path in sorted(GOLD.glob("*.report.jsonl")))
    return (*real, to_bytes(alike_rows()))


def make(rng: random.Random, origin: str) -> Case:
    """Return a mutated report and one of the commands that read it."""
    report = mutated_report(rng)
    files = {REPORT: report}
    argv = rng.choices(COMMANDS, WEIGHTS)[0](rng, files)
    return Case(subject="reports", origin=origin, files=files, argv=argv)


def mutated_report(rng: random.Random, report: bytes | None = None) -> bytes:
    """Return a report's bytes with a few changes, from none to many."""
    rows = _rows(rng.choice(gold()) if report is None else report)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
        rng.choice(ROW_CHANGES)(rows, rng)
    content = b"\n".join(to_line(row, rng) for row in rows)
    if rng.random() < 0.7:
        content += b"\n"
    for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 2))):
        content = change_bytes(content, rng)
    return content


def _rows(content: bytes) -> Rows:
    rows = []
    for line in content.splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            # the gold report of an interrupted scan ends within a row
            continue
    return rows


# commands


def _score(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    argv = ["score", REPORT, "-j", JSON_OUTPUT]
    if rng.random() < 0.2:
        argv += rng.choice(GATES)
    if rng.random() < 0.12:
        argv += FORMATS
    return (*argv, rng.choice(("-q", "-q", "-q", "-v")))


def _repeat(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    _with_attempts(rng, files)
    options = ["--repeat", rng.choice(("same-prompts", "fresh-prompts"))]
    if rng.random() < 0.3:
        options += ["--fail-under", "3", "--sure", rng.choice(("0.5", "0.95"))]
    return ("score", REPORT, "-j", JSON_OUTPUT, *options)


def _plan(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    _with_attempts(rng, files)
    one_pair = ("--pair", "probe.P00+D", "--drop", rng.choice(("0.05", "0.3", "1")))
    change = rng.choice((one_pair, ("--detect", rng.choice(("0.1", "0.3", "2")))))
    repeat = rng.choice(((), ("--repeat", "fresh-prompts")))
    return ("plan", REPORT, *change, *repeat, "-j", "out-plan.json")


def _with_attempts(rng: random.Random, files: dict[str, bytes]) -> None:
    """Take a report whose attempts count, more often than chance does."""
    if rng.random() < 0.7:
        files[REPORT] = mutated_report(rng, gold()[-1])


def _garak_formula(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    return ("score", REPORT, "--formula", "garak")


def _regraded(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    return ("score", REPORT, "--calibration", "installed", "--explain-checksum")


def _explain(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    hits = rng.choice(((), ("--hits", "3")))
    return ("explain", REPORT, "--all", "-j", "out-explain.json", *hits)


def _show(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    """Show an attempt by its line, or by what its uuid begins with."""
    lines = files[REPORT].split(b"\n")
    name = f"line {rng.randint(1, len(lines))}"
    uuids = [line.split(b'"uuid": "')[-1][:6] for line in lines if b'"uuid"' in line]
    if uuids and rng.random() < 0.7:
        name = rng.choice(uuids).decode("utf-8", "replace").replace("\0", "0")
    only = rng.choice(((), ("--output", "0"), ("--output", "1")))
    return ("show", *only, "--", REPORT, name)


def _compare(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    files[OTHER] = rng.choice((rng.choice(gold()), files[REPORT], mutated_report(rng)))
    pair = rng.sample((REPORT, OTHER), 2)
    outputs: tuple[str, ...] = ("-j", "out-compare.json")
    if rng.random() < 0.3:
        outputs += ("--html", "out.html", "--markdown", "out.md", "--junit", "out.xml")
    unequal = rng.choice(((), ("--force",), ("--common",), ("--common", "-q")))
    fails = rng.choice(((), ("--fail-on", "worse")))
    return ("compare", *pair, "--replicates", "50", *outputs, *unequal, *fails)


def _baseline(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    files[OTHER] = rng.choice((rng.choice(gold()), files[REPORT], mutated_report(rng)))
    return ("score", REPORT, "--baseline", OTHER, "-j", JSON_OUTPUT, "-q")


def _history(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    files[OTHER] = rng.choice(gold())
    outputs = ("--jsonl", "out-history.jsonl", "--html", "out-history.html")
    return ("history", ".", "--jobs", "1", *outputs)


def _sample(rng: random.Random, files: dict[str, bytes]) -> tuple[str, ...]:
    whose = rng.choice(("mitigation.MitigationBypass", "dan.DAN", "goodside.PlainJSON"))
    sheet = ("--output", "out-sheet.csv", "-n", "5")
    return ("detectors", "sample", REPORT, "--detector", whose, *sheet)


COMMANDS: tuple[Callable[[random.Random, dict[str, bytes]], tuple[str, ...]], ...]
COMMANDS = (
    _score,
    _garak_formula,
    _regraded,
    _explain,
    _show,
    _compare,
    _baseline,
    _history,
    _sample,
    _repeat,
    _plan,
)
WEIGHTS = (76, 3, 3, 5, 3, 3, 2, 2, 3, 6, 6)


# changes of rows


def _anywhere(rows: Rows, rng: random.Random) -> None:
    """Change something, in rows that matter rather than in others."""
    kinds = ("digest", "eval", "start_run setup", "plugin_cache", "init", "config")
    matter = [row for row in rows if row.get("entry_type") in kinds]
    if rng.random() < 0.85 and matter:
        change_somewhere(rng.choice(matter), rng)
    else:
        change_somewhere(rows, rng)
        rows[:] = [row for row in rows if isinstance(row, dict)] or [{}]


def _entry(rows: Rows, rng: random.Random) -> None:
    """Give one entry of the digest other numbers, of the kind that garak writes."""
    found = list(_entries(rows))
    if not found:
        return
    entry = rng.choice(found)
    total = rng.choice((0, 1, 2, 20, 100, rng.randint(1, 400), 400_000_000))
    passed = rng.choice((0, total, rng.randint(0, total)))
    choices: tuple[dict[str, Any], ...] = (
        {"passed": passed, "total_evaluated": total},
        {"absolute_score": rng.choice((0, 1, 0.05, 0.4, 0.8, 0.99, rng.random()))},
        {"absolute_defcon": rng.randint(1, 5)},
        {"relative_score": rng.choice((-1, -0.125, 0.125, 1, 0, rng.gauss(0, 1)))},
        {"relative_score": rng.choice((None, "n/a"))},
        {"relative_defcon": rng.choice((None, 1, 2, 3, 4, 5, "n/a"))},
        {"absolute_score": passed / total if total else 0.0},
    )
    entry.update(rng.choice(choices))


def _less_in_entry(rows: Rows, rng: random.Random) -> None:
    found = list(_entries(rows))
    keys = ("passed", "absolute_defcon", "relative_defcon", "relative_score", "zscore")
    dropped = rng.sample(keys, rng.randint(1, 3))
    for entry in found if rng.random() < 0.5 else found[:1]:
        for key in dropped:
            entry.pop(key, None)


def _entries(rows: Rows) -> list[dict[str, Any]]:
    return [
        numbers
        for probe in _digest_probes(rows)
        for name, numbers in probe.items()
        if name != "_summary" and isinstance(numbers, dict)
    ]


def _digest_probes(rows: Rows) -> list[dict[str, Any]]:
    return [
        probe
        for row in rows
        if row.get("entry_type") == "digest" and isinstance(row.get("eval"), dict)
        for group in row["eval"].values()
        if isinstance(group, dict)
        for name, probe in group.items()
        if name != "_summary" and isinstance(probe, dict)
    ]


def _tier(rows: Rows, rng: random.Random) -> None:
    for probe in rng.sample(_digest_probes(rows), min(1, len(_digest_probes(rows)))):
        summary = probe.get("_summary")
        if isinstance(summary, dict):
            summary["probe_tier"] = rng.choice((1, 2, 3, 9, None, 4))


def _counts(rows: Rows, rng: random.Random) -> None:
    evals = [row for row in rows if row.get("entry_type") == "eval"]
    if evals:
        row = rng.choice(evals)
        total = rng.choice((0, 1, 3, 20, rng.randint(1, 500)))
        key = "total_evaluated" if "total_evaluated" in row else "total"
        row.update({"passed": rng.randint(0, total), key: total})


def _name(rows: Rows, rng: random.Random) -> None:
    evals = [row for row in rows if row.get("entry_type") == "eval"]
    if evals:
        known = ("dan.DanInTheWild", "lmrc.Slur", "xss.MarkdownImageExfil", "no.Probe")
        new = hostile(rng) if rng.random() < 0.3 else rng.choice(known)
        rng.choice(evals)[rng.choice(("probe", "detector"))] = new


def _attempt(rows: Rows, rng: random.Random) -> None:
    """Give an attempt other verdicts, another prompt, or what is none."""
    attempts = [row for row in rows if row.get("entry_type") == "attempt"]
    if not attempts:
        return
    row = rng.choice(attempts)
    results = row.get("detector_results")
    if rng.random() < 0.5 and isinstance(results, dict) and results:
        scores = results[rng.choice(list(results))]
        odd = (0.0, 1.0, 0.5, None, -1, 1e308, hostile(rng))
        if isinstance(scores, list) and scores:
            scores[rng.randrange(len(scores))] = rng.choice(odd)
            scores += [rng.choice(odd)] * rng.choice((0, 0, 1, 200))
        return
    keys = ("prompt", "detector_results", "probe_classname", "status", "uuid")
    row[rng.choice(keys)] = hostile(rng)


def _setting(rows: Rows, rng: random.Random) -> None:
    setups = [row for row in rows if row.get("entry_type") == "start_run setup"]
    if setups:
        keys = (
            "run.generations",
            "run.eval_threshold",
            "run.langproviders",
            "run.spec",
        )
        more = ("_config.version", "plugins.target_name", "transient.active_probes")
        rng.choice(setups)[rng.choice((*keys, *more))] = hostile(rng)


def _regroup(rows: Rows, rng: random.Random) -> None:
    """Let a taxonomy put a probe into two groups."""
    for row in rows:
        groups = row.get("eval")
        if row.get("entry_type") == "digest" and isinstance(groups, dict) and groups:
            copied = json.loads(json.dumps(groups[rng.choice(list(groups))]))
            groups[f"another-{rng.randint(0, 9)}"] = copied


def _drop_rows(rows: Rows, rng: random.Random) -> None:
    kinds = [str(row.get("entry_type")) for row in rows]
    kind = rng.choice(kinds)
    rows[:] = [row for row in rows if str(row.get("entry_type")) != kind] or [{}]


def _keep_only(rows: Rows, rng: random.Random) -> None:
    kind = str(rng.choice(rows).get("entry_type"))
    rows[:] = [row for row in rows if str(row.get("entry_type")) == kind]


def _drop_row(rows: Rows, rng: random.Random) -> None:
    if len(rows) > 1:
        del rows[rng.randrange(len(rows))]


def _repeat_row(rows: Rows, rng: random.Random) -> None:
    row = json.loads(json.dumps(rng.choice(rows)))
    rows.insert(rng.randint(0, len(rows)), row)


def _reorder(rows: Rows, rng: random.Random) -> None:
    if rng.random() < 0.5:
        rng.shuffle(rows)
    else:
        rows.insert(rng.randrange(len(rows)), rows.pop(rng.randrange(len(rows))))


def _join(rows: Rows, rng: random.Random) -> None:
    rows += _rows(rng.choice(gold()))


def _stray_row(rows: Rows, rng: random.Random) -> None:
    row = {"entry_type": hostile(rng), "value": hostile(rng)}
    rows.insert(rng.randint(0, len(rows)), rng.choice((row, {"entry_type": "new"})))


ROW_CHANGES: tuple[Callable[[Rows, random.Random], None], ...] = (
    *(_anywhere,) * 6,
    *(_entry,) * 5,
    _less_in_entry,
    *(_tier,) * 2,
    *(_counts,) * 3,
    *(_attempt,) * 2,
    _name,
    _setting,
    _regroup,
    *(_drop_rows,) * 2,
    _keep_only,
    _drop_row,
    _repeat_row,
    _reorder,
    _join,
    _stray_row,
)


# the verdict


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong with what a command made of a report."""
    failure = of_outcome(case, outcome)
    if failure is not None or not _is_plain_score(case):
        return failure
    return _against_oracle(case, outcome)


def _is_plain_score(case: Case) -> bool:
    """Whether the command gives the documented score of the one report."""
    other = ("--formula", "--calibration", "--baseline")
    return case.argv[:2] == ("score", REPORT) and not set(other) & set(case.argv)


def _against_oracle(case: Case, outcome: Outcome) -> Failure | None:
    ours = _number(outcome)
    try:
        expected = oracle.tbsa(case.files[REPORT])
    except oracle.Outside:
        return None
    if isinstance(expected, oracle.NoScore):
        if ours is None:
            return None
        text = f"{ours} where there is no number: {expected.reason}"
        return Failure(kind="a score of nothing", at="", text=text)
    wanted = float(expected)
    if ours is None:
        return Failure(kind="no score", at=_words(outcome), text=f"{wanted}: {outcome}")
    if ours != wanted:
        text = f"{ours}, the independent score is {wanted}"
        return Failure(kind="another score", at="", text=text)
    limit = _limit(case)
    if limit is not None and wanted < limit and outcome.code == 0:
        return Failure(kind="a gate passed", at="", text=f"{wanted} under {limit}")
    gated = set(GATE_OPTIONS) & set(case.argv)
    if gated and outcome.code == 0 and oracle.contradicts_itself(case.files[REPORT]):
        text = "a digest that its own numbers or rows deny"
        return Failure(kind="a gate passed", at="a contradiction", text=text)
    return None


def agreed(case: Case, outcome: Outcome) -> bool:
    """Whether there is a score and the independent one is the same."""
    if not _is_plain_score(case) or _number(outcome) is None:
        return False
    try:
        return not isinstance(oracle.tbsa(case.files[REPORT]), oracle.NoScore)
    except oracle.Outside:
        return False


def _number(outcome: Outcome) -> float | None:
    written = outcome.written.get(JSON_OUTPUT)
    if written is None:
        return None
    number = strict_json(written.decode("utf-8"))["tbsa"]
    return float(number)


def _limit(case: Case) -> float | None:
    argv = list(case.argv)
    return (
        float(argv[argv.index("--fail-under") + 1]) if "--fail-under" in argv else None
    )


def _words(outcome: Outcome) -> str:
    """The refusal without what differs from case to case."""
    text = outcome.err.partition(": ")[2].partition("; ")[0]
    return " ".join(word for word in text.split() if word.isalpha())[:80]
