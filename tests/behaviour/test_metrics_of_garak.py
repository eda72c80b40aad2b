# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics in the files that garak reads: the user's, and a checkout's."""

from __future__ import annotations

import html
import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import garak
import pytest

from tests.behaviour.conftest import NAME
from tests.behaviour.labelled import (
    ECHO,
    counts_of,
    echo_row,
    refused,
    write_lines,
)
from tests.behaviour.product import Shown, tbsa
from tests.behaviour.scans import demo

GOOD, FEW, THIRD = "base.TriggerListDetector", "dan.DAN", "dan.STAN"


def data(
    folder: Path, *, good: int = 0, few: int = 0, third: int = 0, stress: int = 0
) -> Path:
    """Rows that each detector gets right, but for every tenth."""
    rows = []
    for name, count in ((GOOD, good), (FEW, few), (THIRD, third)):
        for number in range(count):
            label = ("hit", "pass")[number % 2]
            says = (label == "hit") == (number % 20 > 1)
            row = {
                "id": f"{name} {number}",
                "detector": name,
                "output": f"answer {number}: {'DAN: STAN: PWNED' if says else 'no'}",
                "label": label,
                "notes": {"triggers": ["pwned"]},
                "basis": "real",
                "model": f"model-{number // 2 % 2}",
            }
            is_stress = number >= count - stress
            rows.append(row | ({"why": "made so"} if is_stress else {}))
    return write_lines(folder / "rows.jsonl", rows)


def evaluate(folder: Path, output: Path, *options: object, **counts: int) -> Shown:
    given = ("--data", data(folder, **counts), "--output", output)
    return tbsa("detectors", "evaluate", *given, *options)


def rates(detector: str) -> tuple[float, float]:
    """Sensitivity and specificity with which garak corrects its intervals."""
    from garak.analyze.detector_metrics import DetectorMetrics

    found = DetectorMetrics().get_detector_se_sp(detector)
    return float(found[0]), float(found[1])


def test_garak_reads_what_its_data_folder_was_given_until_it_is_removed(
    place: Path, tmp_path: Path
) -> None:
    """Metrics of other detectors stay, since garak reads one file alone."""
    names = ("mitigation.MitigationBypass", FEW, GOOD)
    before = {name: rates(name) for name in names}
    assert (before[GOOD], before[FEW]) == ((1.0, 1.0), (1.0, 0.75))
    shown = evaluate(tmp_path, place, good=60)
    assert (shown.code, shown.err) == (0, "")
    start = shown.lines.index(f"written: {place}")
    assert shown.lines[start + 1] == f"  new: {GOOD}"
    assert {name: rates(name) for name in names} == before | {GOOD: (0.9, 0.9)}
    evaluate(tmp_path, tmp_path / "out.json", good=60)
    merged = json.loads(place.read_text(encoding="utf-8"))
    measured = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert merged["results"][GOOD] == measured["results"][GOOD]
    assert counts_of(measured) == {GOOD: (27, 3, 3, 27)}
    users = f"{len(merged['results'])} detectors, the user's, in place of garak's own"
    assert f"   detector metrics: {users}, {place}" in tbsa("status").lines
    place.unlink()
    assert {name: rates(name) for name in names} == before
    assert "   detector metrics: 6 detectors, garak's own, " in tbsa("status").out


def test_metrics_that_cannot_be_read_are_told_beside_hits_and_stay(
    place: Path, tmp_path: Path
) -> None:
    place.parent.mkdir(parents=True)
    place.write_text("{")
    output = tmp_path / "o.md"
    report, _ = demo(tmp_path / "demo")
    assert tbsa("score", "-q", report, "--markdown", output).code == 0
    told = html.unescape(output.read_text("utf-8"))
    assert f"{place}, line 1: not JSON" in told
    shown = evaluate(tmp_path, place, good=60)
    assert (shown.code, f"{place}, line 1: not JSON" in shown.error) == (1, True)
    assert place.read_text() == "{"


THEIRS: dict[str, Any] = {
    "results": {name: {"metrics": {"hit_sensitivity": 0.5}} for name in (THIRD, FEW)},
    "metadata": {"theirs": 1},
}


@pytest.fixture
def theirs(place: Path) -> bytes:
    """A file of the user's own."""
    place.parent.mkdir(parents=True)
    place.write_bytes(json.dumps(THEIRS).encode() + b"\n\n")
    return place.read_bytes()


def test_a_users_own_metrics_stay_beside_new_ones(
    place: Path, theirs: bytes, tmp_path: Path
) -> None:
    """They may be of other rows, so it is not said of what rows the metrics are."""
    shown = evaluate(tmp_path, place, good=60)
    assert f"  kept from before: {FEW}, {THIRD}" in shown.lines
    results, metadata = json.loads(place.read_text()).values()
    assert list(results) == [GOOD, FEW, THIRD]
    assert {name: results[name] for name in (THIRD, FEW)} == THEIRS["results"]
    assert (metadata["num_detectors_evaluated"], metadata["kept"]) == (3, [FEW, THIRD])
    assert not {"metrics_rows", "theirs"} & set(metadata)
    versions = {name: version(name) for name in ("garak", "garak-tbsa")}
    assert metadata["versions"].items() >= versions.items()
    assert f"  replaced: {FEW}" in evaluate(tmp_path, place, few=80).lines


def refusal(path: Path, left: str, *of_each: str) -> str:
    return (
        f"garak-tbsa: --output {path}: {left}: {'; '.join(of_each)}; label more rows,"
        " or replace with --force\n"
    )


def few_rows(name: str, hits: int, passes: int) -> str:
    return (
        f"the new {name} rests on {hits} hits and {passes} passes, at least 20 of each"
        " needed"
    )


WHY = {
    "": None,
    "written": "rests on 0 real hits, at least 10 needed",
    "one model": "its real hits are of 1 named model, at least 2 needed",
    "a coin": "sensitivity and specificity are not surely above 1 in sum",
}


def test_garak_corrects_by_what_rests_on_real_hits_of_two_models(
    place: Path, tmp_path: Path
) -> None:
    """Other metrics go in all the same; another file has both rates and the reason."""
    for what, why in WHY.items():
        path = data(tmp_path, third=60)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for number, row in enumerate(rows):
            if what == "written":
                row["basis"] = "written"
            elif what == "one model":
                row["model"] = "one"
            elif what == "a coin":
                row["output"] = "STAN" if number % 4 < 2 else "no"
        write_lines(path, rows)
        given = ("detectors", "evaluate", "--data", path, "--output")
        assert tbsa(*given, tmp_path / "own.json").code == 0
        own = json.loads((tmp_path / "own.json").read_text())["results"][THIRD]
        assert own.get("applied") == why
        assert own["metrics"]["hit_sensitivity"] == own["metrics"]["hit_recall"]
        shown = tbsa(*given, place)
        told = f"  garak corrects by: {THIRD}"
        if why is not None:
            told = f"  garak does not correct by {THIRD}: {why}"
        assert (shown.code, shown.lines[-1]) == (0, told)
        entry = json.loads(place.read_text())["results"][THIRD]
        assert entry["metrics"]["hit_f1"] == own["metrics"]["hit_f1"]
        assert rates(THIRD) == (((0.9, 0.9)) if why is None else (1.0, 1.0))


def test_too_few_typical_rows_replace_nothing_and_leave_the_file(
    place: Path, theirs: bytes, tmp_path: Path
) -> None:
    """20 of each label; stress rows do not count, and what was not there may come."""
    shown = evaluate(tmp_path, place, good=40, few=38)
    said = refusal(place, "unchanged", few_rows(FEW, 19, 19))
    assert (shown.code, shown.out, shown.err) == (1, "", said)
    shown = evaluate(tmp_path, place, few=60, third=60, stress=22)
    reasons = (few_rows(FEW, 19, 19), few_rows(THIRD, 19, 19))
    assert shown.err == refusal(place, "unchanged", *reasons)
    assert place.read_bytes() == theirs
    assert evaluate(tmp_path, place, few=80, good=2).code == 0
    shown = evaluate(tmp_path, place, "--force", few=38, good=40)
    assert (shown.code, shown.err) == (0, "")
    reason = few_rows(FEW, 19, 19)
    assert shown.lines[-4:] == [
        f"  kept from before: {THIRD}",
        f"  garak corrects by: {GOOD}",
        f"  garak does not correct by {reason.removeprefix('the new ')}".replace(
            f"{FEW} ", f"{FEW}: "
        ),
        f"  by --force: {reason}",
    ]
    # what corrects every later scan has a rule of its own
    assert rates(FEW) == (1.0, 1.0)


def test_balanced_rows_are_counted_as_they_are_drawn(
    place: Path, theirs: bytes, tmp_path: Path
) -> None:
    rows = [{"output": "DAN", "label": "hit", "detector": FEW}] * 30
    rows += [{"output": "no", "label": "pass", "detector": FEW}] * 19
    path = write_lines(tmp_path / "rows.jsonl", rows)
    given = ("--data", path, "--output", place, "--balance-datasets")
    shown = tbsa("detectors", "evaluate", *given)
    assert shown.err == refusal(place, "unchanged", few_rows(FEW, 19, 19))


def test_rows_without_a_score_are_no_rows(place: Path, echoes: Path) -> None:
    """That is known when they have been judged: the entry stays, others go in."""
    rows = [echo_row("none" if n < 2 else 1, "hit", f"h{n}") for n in range(20)]
    rows += [echo_row(0, "pass", f"p{n}") for n in range(20)]
    path = write_lines(echoes / "rows.jsonl", rows)
    had = {"results": {ECHO: {"metrics": {"hit_f1": 0.5}}}, "metadata": {}}
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(had))
    given = ("--data", path, "--output", place, "--detectors")
    shown = tbsa("detectors", "evaluate", *given, ECHO)
    said = refusal(place, "entries are as before", few_rows(ECHO, 18, 20))
    assert (shown.code, shown.lines[-1], shown.err) == (
        *(1, f"not changed: {place}", said),
    )
    assert json.loads(place.read_text()) == had
    louder = [row | {"detector": "echoes:Louder"} for row in rows[20:]]
    write_lines(path, [*({"detector": ECHO} | row for row in rows), *louder])
    shown = tbsa("detectors", "evaluate", *given, f"{ECHO},echoes:Louder")
    assert (shown.code, shown.err) == (1, said)
    results = json.loads(place.read_text())["results"]
    assert (results[ECHO], set(results)) == (
        *(had["results"][ECHO], {ECHO, "echoes:Louder"}),
    )


def test_force_is_for_files_that_garak_reads(tmp_path: Path) -> None:
    """Other files hold what was measured alone, whatever was there."""
    output = tmp_path / "data" / "detectors_eval" / NAME
    assert evaluate(tmp_path, output, good=40).code == 0
    assert evaluate(tmp_path, output, few=2).code == 0
    assert list(json.loads(output.read_text())["results"]) == [FEW]
    shown = evaluate(tmp_path, output, "--force", few=2)
    assert (shown.code, shown.err) == (
        2,
        "garak-tbsa: --force: has an effect only where --output is a file that garak"
        " reads; leave it out\n",
    )


# in a checkout of garak

IN_CHECKOUT = Path("garak", "data", "detectors_eval", NAME)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "checkout"
    (folder / IN_CHECKOUT).parent.mkdir(parents=True)
    (folder / "garak" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text('[project]\nname = "garak"\n')
    monkeypatch.chdir(folder)
    return folder


def test_in_a_checkout_metrics_go_where_garak_keeps_its_own(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And those of other detectors stay as they are."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    kept = {"metrics": {"hit_f1": 0.5, "hit_sensitivity": 0.5}, "from": "garak"}
    no_key = {"detector": "judge.Refusal", "reason": "no key"}
    made = {"evaluation_date": "2026-01-30", "random_seed": 7}
    errors = [{"detector": GOOD, "reason": "old"}, no_key]
    had: dict[str, Any] = {
        "results": {GOOD: kept, "a.Kept": kept},
        "metadata": made | {"errors": errors},
    }
    IN_CHECKOUT.write_text(json.dumps(had))
    rows = data(tmp_path, good=40)
    shown = tbsa("detectors", "evaluate", "--data", rows)
    assert shown.code == 0
    assert shown.lines[-4:] == [
        f"written: {IN_CHECKOUT} (where this checkout of garak keeps its metrics)",
        f"  replaced: {GOOD}",
        "  kept from before: a.Kept",
        f"  garak corrects by: {GOOD}",
    ]
    package = Path(garak.__file__).parent
    assert shown.err == (
        f"garak-tbsa: warning: {IN_CHECKOUT}: made with the detectors of garak"
        f" {garak.__version__} in {package}, not with those of this checkout; for those"
        " run `python -m garak.analyze.detector_eval` here\n"
    )
    summary = json.loads(IN_CHECKOUT.read_text())
    assert list(summary["results"]) == ["a.Kept", GOOD]
    assert summary["results"]["a.Kept"] == kept
    assert summary["results"][GOOD]["counts"] == {"tp": 18, "fp": 2, "fn": 2, "tn": 18}
    metadata = summary["metadata"]
    assert metadata["num_detectors_evaluated"] == 2
    assert metadata["evaluation_date"] == "2001-09-09T01:46:40.000000"
    assert metadata["errors"] == [no_key]
    # what is kept may be of other rows
    assert "metrics_rows" not in metadata
    assert metadata["kept"] == ["a.Kept"]
    before = IN_CHECKOUT.read_bytes()
    assert tbsa("detectors", "evaluate", "--data", rows, "-q").code == 0
    assert IN_CHECKOUT.read_bytes() == before
    shown = tbsa("detectors", "rank")
    assert shown.lines[0].startswith(f"{IN_CHECKOUT}: 2 detectors evaluated")
    # an output that is named holds what was measured alone
    shown = tbsa("detectors", "evaluate", "--data", rows, "--output", "own.json")
    assert (shown.code, shown.err, shown.lines[-1]) == (0, "", "written: own.json")
    assert list(json.loads(Path("own.json").read_text())["results"]) == [GOOD]
    assert IN_CHECKOUT.read_bytes() == before
    # but one that garak reads is the same file from everywhere
    monkeypatch.chdir(tmp_path)
    path = checkout / IN_CHECKOUT
    shown = tbsa("detectors", "evaluate", "--data", rows, "--output", path)
    assert (shown.code, shown.lines[-2]) == (0, "  kept from before: a.Kept")
    assert shown.err.endswith(
        f"`python -m garak.analyze.detector_eval` in {checkout}\n"
    )
    assert path.read_bytes() == before


def test_in_a_checkout_nothing_is_lost_where_nothing_can_be_put(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERSPECTIVE_API_KEY", raising=False)
    name = "perspective.Insult"
    row = {"output": "x", "label": "hit", "detector": name}
    unusable = write_lines(tmp_path / "unusable.jsonl", [row])
    IN_CHECKOUT.write_text('{"results": {}, "metadata": {}}')
    shown = tbsa("detectors", "evaluate", "--data", unusable)
    assert (shown.code, shown.lines[-1], shown.err) == (
        1,
        f"not changed: {IN_CHECKOUT}",
        f"garak-tbsa: {IN_CHECKOUT}: no detector could be evaluated; its metrics are as"
        " before\n",
    )
    assert IN_CHECKOUT.read_text() == '{"results": {}, "metadata": {}}'
    IN_CHECKOUT.write_text("[]")
    rows = data(tmp_path, good=20)
    assert refused("--data", rows) == (
        f"{IN_CHECKOUT}: no JSON object; expected a summary file"
    )
    assert IN_CHECKOUT.read_text() == "[]"
    shutil.rmtree(IN_CHECKOUT.parent)
    assert refused("--data", rows, code=2) == (
        f"{checkout}: a checkout of a garak that keeps no detector metrics,"
        " since it has neither garak/data/detectors_eval nor garak/data/detectors-eval;"
        " name a file with --output"
    )
    assert not (checkout / "data").exists()


def test_elsewhere_the_summary_has_its_usual_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And ``rank`` reads it there before the shipped one."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    shown = tbsa("detectors", "evaluate", "--data", data(tmp_path, good=20))
    path = f"data/detectors-eval/{NAME}"
    assert (shown.code, shown.lines[-1]) == (0, f"written: {path}")
    shown = tbsa("detectors", "rank")
    assert shown.lines[0].startswith(f"{path}: 1 detectors evaluated")
