# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A gate that is set and was not judged is exit 3 and one line, however garak ended."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.host.scans import ENDED, UNSCORED, Ended, run_many, scan, small_scan
from tests.installed import HOST_VARIABLE
from tests.older_garak import NotAvailableError, unpacked

if TYPE_CHECKING:
    from pathlib import Path

GATE = {"reporting": {"tbsa": {"fail_under": 1, "github": True}}}
WITH_GATE = ["--config", "gate.json"]
UNFINISHED = {
    # case: (arguments, how it is told)
    "misspelt_probe": (
        [*small_scan("nosuch"), *WITH_GATE],
        "garak ended",
    ),
    "no_api_key": (
        ["--target_type", "openai", "--target_name", "gpt-4", *WITH_GATE],
        "garak ended",
    ),
    "garak_exception": ([*small_scan(), *WITH_GATE], "garak ended"),
    "value_error": ([*small_scan(), *WITH_GATE], "garak ended"),
    "runtime_error": (
        [*small_scan(), *WITH_GATE],
        "garak stopped with RuntimeError",
    ),
    "sigint": ([*small_scan(), *WITH_GATE], "garak ended"),
    "exit_0_in_mid_scan": (
        [*small_scan(), *WITH_GATE],
        "garak ended with exit code 0",
    ),
    "exit_with_words": (
        [*small_scan(), *WITH_GATE],
        "garak ended with exit code 1",
    ),
    "usage": (["--no_such_option", *WITH_GATE], "garak ended with exit code 2"),
    "usage_joined": (
        ["--no_such_option", "--config=gate.json"],
        "garak ended with exit code 2",
    ),
    "workers": (
        [*small_scan(), "--parallel_attempts", "-3", *WITH_GATE],
        "garak ended with exit code 1",
    ),
    "no_target": (WITH_GATE, "garak ended"),
}
NO_SCAN = {
    "help": ["--help", *WITH_GATE],
    "version": ["--version", *WITH_GATE],
    "list_probes": ["--list_probes", *WITH_GATE],
    "list_config": ["--list_config", *WITH_GATE],
    "plugin_info": ["--plugin_info", "probes.dan.DanInTheWild", *WITH_GATE],
    "interactive": ["--interactive", *WITH_GATE],
    "misspelt_setting": ["--list_detectors", "--config", "misspelt.json"],
    "usage_of_a_list": ["--list_probes", "--no_such_option", *WITH_GATE],
}
ENDED_SCANS = {
    "switched_off": [*small_scan(), *WITH_GATE],
    "nothing_to_score": small_scan(UNSCORED),
    "nothing_to_judge": [*small_scan(UNSCORED), *WITH_GATE],
}
UNGATED = {
    "ungated_garak_exception": small_scan(),
    "ungated_usage": ["--no_such_option"],
    "ungated_interactive": ["--interactive"],
    "gate_turned_off_value_error": [*small_scan(), "--config", "disabled.json"],
}


def write_configurations(folder: Path) -> None:
    (folder / "gate.json").write_text(json.dumps(GATE))
    for name, settings in (
        ("misspelt", {"fail-under": 1}),
        ("disabled", {"fail_under": 1, "enabled": False}),
    ):
        document = {"reporting": {"tbsa": settings}}
        (folder / f"{name}.json").write_text(json.dumps(document))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("unjudged")


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    write_configurations(folder)
    cases = {name: arguments for name, (arguments, _) in UNFINISHED.items()}
    return run_many(
        folder, cases | NO_SCAN | UNGATED | ENDED_SCANS, settings={"OPENAI_API_KEY": ""}
    )


@pytest.mark.parametrize("case", UNFINISHED)
def test_a_gate_that_was_not_judged_fails(case: str, ended: dict[str, Ended]) -> None:
    (line,) = ended[case].our_errors
    assert ended[case].code == 3, ended[case].out + ended[case].err
    assert line == (
        "garak-tbsa: the gate in reporting.tbsa fails: it was not judged, because"
        f" {UNFINISHED[case][1]} before a scan was complete"
        " (GARAK_TBSA=0 turns this off)"
    )
    told = re.findall(r"^::error title=garak-tbsa::(.*)", ended[case].out, re.M)
    assert [f"garak-tbsa: {text} (GARAK_TBSA=0 turns this off)" for text in told] == [
        line
    ]


def test_what_python_would_have_shown_is_shown(ended: dict[str, Ended]) -> None:
    assert "RuntimeError: boom" in ended["runtime_error"].err
    assert "Traceback" in ended["runtime_error"].err
    assert "farewell" in ended["exit_with_words"].err
    assert "Traceback" not in ended["exit_with_words"].err


@pytest.mark.parametrize("case", NO_SCAN)
def test_what_does_not_scan_does_not_fail(case: str, ended: dict[str, Ended]) -> None:
    assert ended[case].our_errors == []
    if case == "interactive":
        # where there is no terminal garak ends it with 1
        assert ended[case].code == ended["ungated_interactive"].code
    else:
        assert ended[case].code in (None, 2 if case == "usage_of_a_list" else 0)


def test_without_a_gate_garaks_own_ending_stays(ended: dict[str, Ended]) -> None:
    assert all(ended[case].our_errors == [] for case in UNGATED)
    assert ended["ungated_usage"].code == 2
    assert ended["ungated_garak_exception"].code is None
    assert ended["gate_turned_off_value_error"].code is None


def test_the_switch_turns_everything_off(ended: dict[str, Ended]) -> None:
    off = ended["switched_off"]
    assert (off.code, off.our_errors) == (None, [])
    assert off.out.split(ENDED)[1].count("\n") == 2
    assert "TBSA" not in off.out


def test_a_scan_without_a_pair_to_score_says_so_in_one_line(
    ended: dict[str, Ended], folder: Path
) -> None:
    free, gated = ended["nothing_to_score"], ended["nothing_to_judge"]
    assert (free.code, gated.code) == (None, 3)
    for case in (free, gated):
        (error,) = case.our_errors
        assert error.startswith("garak-tbsa: no TBSA for this scan: ")
        assert "no pair in Tier 1 or 2" in error
        assert ("the gate fails, because it was not judged" in error) is (case is gated)
        assert error.endswith(
            "; garak's own report is unchanged (GARAK_TBSA=0 turns this off)"
        )
    log = (folder / "data" / "garak" / "garak.log").read_text()
    assert "no TBSA for this scan" in log
    assert "NotScorableError" in log


def test_a_sites_gate_counts_and_the_process_ends_with_3(tmp_path: Path) -> None:
    site = tmp_path / "config" / "garak"
    site.mkdir(parents=True)
    (site / "garak.site.yaml").write_text("reporting:\n  tbsa:\n    fail_under: 1\n")
    done = scan(tmp_path, "--config", "nosuch.yaml")
    assert done.code == 3
    (line,) = done.our_errors
    assert "garak ended with exit code 1 before a scan was complete" in line


@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="an older host is under test")
@pytest.mark.parametrize("older", ["0.14.0", "0.16.0"])
def test_older_garaks_do_not_let_a_gate_pass(older: str, tmp_path: Path) -> None:
    try:
        host = unpacked(older)
    except NotAvailableError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"garak {older} cannot be downloaded: {error}")
    write_configurations(tmp_path)
    misspelt = [*small_scan()[:-2], "--probes", "nosuch", *WITH_GATE]
    done = run_many(
        tmp_path,
        {
            "misspelt_probe": misspelt,
            "usage": UNFINISHED["usage"][0],
            "help": NO_SCAN["help"],
            "list_probes": NO_SCAN["list_probes"],
        },
        host=host,
    )
    assert [case.code for case in done.values()] == [3, 3, 0, None]
    assert [len(case.our_errors) for case in done.values()] == [1, 1, 0, 0]
