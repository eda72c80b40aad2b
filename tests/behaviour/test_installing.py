# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics into garak and out again, in the user's folder and in a checkout."""

from __future__ import annotations

import html
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import garak
import pytest
from filelock import FileLock

from tests.behaviour.conftest import NAME
from tests.behaviour.labelled import counts_of, refused, write_lines
from tests.behaviour.product import REPOSITORY, Shown, document, python, tbsa
from tests.behaviour.scans import demo
from tests.pseudo_terminal import PseudoTerminal

GOOD, FEW, THIRD = "base.TriggerListDetector", "dan.DAN", "dan.STAN"
HELD_AND_KILLED = """
import os, signal, sys
from garak_tbsa.cli.detectors_uninstall import alone
with alone(sys.argv[1]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


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
            }
            is_stress = number >= count - stress
            rows.append(row | ({"why": "made so"} if is_stress else {}))
    return write_lines(folder / "rows.jsonl", rows)


def evaluate(folder: Path, *options: object, **counts: int) -> Shown:
    given = ("--data", data(folder, **counts), "--output", folder / "out.json")
    return tbsa("detectors", "evaluate", *given, *options)


def failure(folder: Path, *options: object, code: int = 1, **counts: int) -> str:
    """What is said in one line where nothing is evaluated."""
    shown = evaluate(folder, *options, **counts)
    assert shown.code == code
    return shown.error.removeprefix("garak-tbsa: ")


def rates(detector: str) -> tuple[float, float]:
    """Sensitivity and specificity with which garak corrects its intervals."""
    from garak.analyze.detector_metrics import DetectorMetrics

    found = DetectorMetrics().get_detector_se_sp(detector)
    return float(found[0]), float(found[1])


def test_garak_reads_what_was_installed_until_it_is_taken_back(
    place: Path, tmp_path: Path
) -> None:
    """Metrics of other detectors stay, since garak reads one file alone."""
    names = ("mitigation.MitigationBypass", FEW, GOOD)
    before = {name: rates(name) for name in names}
    assert (before[GOOD], before[FEW]) == ((1.0, 1.0), (1.0, 0.75))
    shown = evaluate(tmp_path, "--install", "--yes", good=60)
    assert (shown.code, shown.err) == (0, "")
    start = shown.lines.index(f"installed for garak: {place}")
    assert shown.lines[start + 1] == f"  new: {GOOD}"
    assert {name: rates(name) for name in names} == before | {GOOD: (0.9, 0.9)}
    installed = json.loads(place.read_text(encoding="utf-8"))
    measured = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert installed["results"][GOOD] == measured["results"][GOOD]
    assert counts_of(measured) == {GOOD: (27, 3, 3, 27)}
    in_use = {"path": str(place), "detectors": len(installed["results"])}
    assert metrics_in_use(tmp_path) == in_use | {"is_users": True}
    shown = tbsa("detectors", "uninstall")
    assert (shown.code, shown.out, shown.err) == (
        0,
        f"removed: {place}; garak reads its own metrics again\n",
        "",
    )
    assert {name: rates(name) for name in names} == before
    assert not place.parent.exists()
    in_use = metrics_in_use(tmp_path)
    assert (in_use["detectors"], in_use["is_users"]) == (6, False)


def metrics_in_use(folder: Path) -> dict[str, Any]:
    """What ``status`` says of the metrics that garak reads."""
    found: dict[str, Any] = document(folder, "status")["garak"]["detector_metrics"]
    return found


def test_installed_metrics_that_cannot_be_read_are_told_beside_hits(
    place: Path, tmp_path: Path
) -> None:
    place.parent.mkdir(parents=True)
    place.write_text("{")
    output = tmp_path / "o.md"
    report, _ = demo(tmp_path / "demo")
    assert tbsa("score", "-q", report, "--markdown", output).code == 0
    told = html.unescape(output.read_text("utf-8"))
    assert f"{place}, line 1: not JSON" in told


def test_nothing_is_installed_by_mistake(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """garak applies it to every later scan: somebody has to say yes."""
    assert failure(tmp_path, "--install", good=60, code=2) == (
        "--install: garak applies these metrics to every later scan, of any target; add"
        " --yes, or answer in a terminal"
    )
    monkeypatch.setattr("garak_tbsa.cli.detectors_evaluate.can_ask", lambda: True)
    for answer, code in (("", 1), ("no", 1), ("Yes", 0)):
        monkeypatch.setattr("builtins.input", lambda _, said=answer: said)
        shown = evaluate(tmp_path, "--install", good=60)
        assert (shown.code, place.exists()) == (code, code == 0)
        assert (
            "garak will correct the intervals of every later scan, of any target, by 60"
            " labelled rows of no scan"
        ) in shown.lines
    found = document(tmp_path, "status")["installed_detector_metrics"]
    assert [(each["source"], each["detectors"]) for each in found] == [
        ("60 labelled rows of no scan", [GOOD])
    ]


def test_who_is_at_both_ends_of_a_terminal_is_asked(
    place: Path, tmp_path: Path
) -> None:
    rows, output = str(data(tmp_path, good=60)), str(tmp_path / "out.json")
    given = ("detectors", "evaluate", "--data", rows, "--output", output, "--install")
    with PseudoTerminal(*given) as terminal:
        assert terminal.end(b"no\n") == 1
    assert b"every later scan, of any target, by 60" in terminal.raw
    for lost in (">", "<"):
        script = f'exec "$0" -m garak_tbsa "$@" {lost} /dev/null'
        program = ("sh", "-c", script, sys.executable)
        with PseudoTerminal(*given, program=program) as terminal:
            assert terminal.end() == 2
        assert b"add --yes, or answer in a terminal" in b" ".join(terminal.raw.split())
    assert not place.exists()


def test_shipped_rows_are_of_no_target(place: Path, tmp_path: Path) -> None:
    """Neither as the default nor as a copy are they installed unasked."""
    labelled = REPOSITORY / "data" / "detectors-eval" / "labelled"
    copy = shutil.copy(labelled / "goodside.PlainJSON.jsonl", tmp_path)
    for data in ((), ("--data", copy)):
        given = ("--detectors", "goodside.PlainJSON", *data, "--install", "--yes")
        given += ("--output", str(tmp_path / "out.json"))
        shown = tbsa("detectors", "evaluate", *given)
        assert (shown.code, shown.out) == (1, "")
        assert shown.error.startswith("garak-tbsa: --install: these rows come with")
        assert shown.error.endswith("or add --shipped")
        assert not place.exists()
    shown = tbsa("detectors", "evaluate", *given, "--shipped")
    assert shown.code == 0
    assert place.exists()


def test_whose_outputs_were_labelled_is_told_as_long_as_they_are_installed(
    place: Path, tmp_path: Path
) -> None:
    scan, _ = demo(tmp_path)
    labels = scan.with_name("before.all_labels.csv")
    given = ("--data", scan, "--labels", labels, "--output", tmp_path / "s.json")
    only = ("--detectors", "promptinject.AttackRogueString")
    installing = ("--install", "--yes", "--force")
    shown = tbsa("detectors", "evaluate", *given, *only, *installing)
    assert shown.code == 0, shown
    told = next(line for line in shown.lines if line.startswith("garak will correct"))
    source = told.rpartition(" by ")[2]
    assert source.endswith(
        " labels of outputs of function.Single tools.real_model.target#respond"
    )
    assert any(
        line.startswith("   installed: promptinject.AttackRogueString: by " + source)
        for line in tbsa("status").lines
    )
    record = place.with_name("installed_by_garak_tbsa.json")
    record.write_text("{}")
    (line,) = (x for x in tbsa("status").lines if "installed detector metrics" in x)
    assert "not a record that this garak-tbsa can read" in line
    assert list(document(tmp_path, "status")["installed_detector_metrics"]) == [
        "missing_because"
    ]


def test_too_few_typical_rows_are_refused_and_the_rest_installed(
    place: Path, tmp_path: Path
) -> None:
    """20 of each label; stress rows do not count."""

    def refused(name: str, of_each: int) -> str:
        return (
            "garak-tbsa: --install: 1 not installed, label more rows, or --force:"
            f" {name} was measured on {of_each} hits and {of_each} passes, at least 20"
            " of each needed\n"
        )

    shown = evaluate(tmp_path, "--install", "--yes", good=60, stress=22)
    assert (shown.code, shown.err) == (1, refused(GOOD, 19))
    assert not place.exists()
    shown = evaluate(tmp_path, "--install", "--yes", good=40, few=38)
    assert (shown.code, shown.err) == (1, refused(FEW, 19))
    assert f"  new: {GOOD}" in shown.lines
    assert set(json.loads(place.read_text())["results"]) >= {GOOD}
    assert rates(FEW) == (1.0, 0.75)
    shown = evaluate(tmp_path, "--install", "--yes", "--force", good=40, few=38)
    assert (shown.code, shown.err) == (0, "")
    assert rates(FEW) == pytest.approx((17 / 19, 17 / 19))


def test_what_cannot_be_installed_or_undone_is_one_line(
    place: Path, tmp_path: Path
) -> None:
    for option in ("--force", "--yes", "--shipped"):
        assert failure(tmp_path, option, good=60, code=2) == (
            f"{option}: has an effect only with --install; leave it out"
        )
    shown = tbsa("detectors", "uninstall")
    assert shown.code == 1
    assert shown.error.endswith(
        ": does not exist, so garak-tbsa has installed nothing; there is nothing to"
        " undo"
    )
    shown = evaluate(tmp_path, "--install", "--yes", "--detectors", "dan.DUDE", good=60)
    assert shown.code == 1
    assert not place.parent.exists()
    place.parent.touch()
    assert evaluate(tmp_path, "--install", "--yes", good=60).code == 1
    place.parent.unlink()
    place.parent.mkdir()
    place.write_text("{")
    shown = evaluate(tmp_path, "--install", "--yes", good=60)
    assert (shown.code, f"{place}, line 1: not JSON" in shown.err) == (1, True)
    assert place.read_text() == "{"


def test_a_change_since_is_not_lost(place: Path, tmp_path: Path) -> None:
    assert evaluate(tmp_path, "--install", "--yes", good=60).code == 0
    place.write_text(place.read_text() + "\n")
    shown = tbsa("detectors", "uninstall")
    assert (shown.code, shown.error) == (
        1,
        f"garak-tbsa: {place}: has changed since garak-tbsa installed it; --force"
        " restores the earlier file and loses the change",
    )
    assert tbsa("detectors", "uninstall", "--force").code == 0
    assert not place.exists()


def test_who_cannot_have_the_lock_says_so_and_a_killed_process_holds_none(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("garak_tbsa.cli.detectors_uninstall.LONGEST_WAIT", 0.2)
    lock = Path(f"{place.parent}.lock")
    with FileLock(lock):
        for shown in (
            evaluate(tmp_path, "--install", "--yes", "-q", good=60),
            tbsa("detectors", "uninstall"),
        ):
            assert (shown.code, shown.error) == (
                1,
                f"garak-tbsa: {lock}: another process has installed detector metrics"
                " for 0.2 s and has not ended; nothing was changed; run the same"
                " command when it has",
            )
    assert not place.exists()
    lock.unlink(missing_ok=True)
    python("-c", HELD_AND_KILLED, place, folder=REPOSITORY)
    assert lock.exists()
    assert evaluate(tmp_path, "--install", "--yes", good=60).code == 0


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
    rows = data(tmp_path, good=20)
    shown = tbsa("detectors", "evaluate", "--data", rows)
    assert shown.code == 0
    assert shown.lines[-3:] == [
        f"written: {IN_CHECKOUT} (where this checkout of garak keeps its metrics)",
        f"  replaced: {GOOD}",
        "  kept from before: a.Kept",
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
    assert summary["results"][GOOD]["counts"] == {"tp": 9, "fp": 1, "fn": 1, "tn": 9}
    metadata = summary["metadata"]
    assert metadata["num_detectors_evaluated"] == 2
    assert metadata["evaluation_date"] == "2001-09-09T01:46:40+00:00"
    assert metadata["errors"] == [no_key]
    # what is kept may be of other rows
    assert "metrics_rows" not in metadata
    assert metadata["kept_from"] == [{"detectors": ["a.Kept"]} | made]
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
