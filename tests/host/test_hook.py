# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What follows a scan, where a scan need not be run to see it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import garak
import pytest

from garak_tbsa import garak_api
from garak_tbsa.host import hook
from tests.behaviour.scans import of_another_run, scan
from tests.host.scans import Pretended, end_scan, pretended_run, replacing
from tests.report_rows import pairs_named, write_alike

FAILS = "; so the gate fails; garak's own report is unchanged"


@pytest.mark.parametrize(
    ("settings", "code", "error"),
    [
        ("yes", 0, ": expected settings such as fail_under: 3.5"),
        ({"pdf": True}, 0, ".pdf: not a setting; expected one of enabled,"),
        ({"sure": 2}, 3, ".sure: expected a number from 0.5 to 0.999, found 2"),
        ({"fail_under": 1, "jsn": 1}, 3, ".jsn: not a setting (did you mean json?)"),
    ],
)
def test_wrong_settings_are_one_line(
    settings: object, code: int, error: str, pretended: Pretended
) -> None:
    """A scan that cannot be judged must not pass a gate."""
    shown = pretended.end(settings)
    assert (shown.code, pretended.files) == (code, set())
    assert shown.error.startswith(
        f"garak-tbsa: no TBSA for this scan: reporting.tbsa{error}"
    )
    assert (FAILS in shown.error) == bool(code)


def test_where_stdout_is_lost_it_is_told_by_stderr(
    pretended: Pretended, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(flush=None))
    error = pretended.end("yes").error
    assert error.startswith("garak-tbsa: no TBSA for this scan: reporting.tbsa: ")


def test_garaks_own_values_are_passed_on(pretended: Pretended) -> None:
    pretended.configured({"json": False})
    assert end_scan(1, a=2) == ((1,), {"a": 2})


def test_a_gate_fails_where_the_report_is_gone(pretended: Pretended) -> None:
    pretended.report.unlink()
    for settings, code in (({"fail_under": 1}, 3), (None, 0)):
        shown = pretended.end(settings)
        assert (shown.code, shown.out) == (code, "")
        why, what = shown.err.splitlines()
        assert why.startswith(f"garak-tbsa: {pretended.report}: cannot be opened")
        assert what.startswith("garak-tbsa: no TBSA for this scan: garak-tbsa score ")
        assert (FAILS in what) == bool(code)


def test_a_gate_fails_where_a_module_of_ours_cannot_be_imported(
    pretended: Pretended,
) -> None:
    """Whether there is one is told by what needs nothing else of ours."""
    reporting = garak._config.reporting
    pretended.patch.delattr(garak_api, "scan")
    pretended.patch.setitem(sys.modules, "garak_tbsa.garak_api.scan", None)
    for settings, code in (
        ({"fail_under": 1}, 3),
        ({"html": True}, 0),
        ({"fail_under": 1, "enabled": False}, 0),
    ):
        pretended.patch.setattr(reporting, "tbsa", settings, raising=False)
        shown = pretended.end_as_it_is()
        assert shown.code == code
        assert (FAILS in shown.error) == bool(code)


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        (None, {"scan.tbsa.json"}),
        (True, {"scan.tbsa.json"}),
        (False, set()),
        ({"enabled": False, "fail_under": 5}, set()),
        ({"json": False}, set()),
        ({"html": True}, {"scan.tbsa.json", "scan.tbsa.html"}),
    ],
)
def test_settings_say_what_is_written(
    settings: object, written: set[str], pretended: Pretended
) -> None:
    shown = pretended.end(settings)
    assert (shown.code, shown.err, pretended.files) == (0, "", written)


def test_the_command_takes_every_setting(pretended: Pretended) -> None:
    """Each is given otherwise than by default."""
    before = of_another_run(pretended.report, pretended.folder / "before.report.jsonl")
    limits = {"fail_under": 1.5, "sure": 0.9, "require_tier1_grade": 2}
    shown = pretended.end(
        dict.fromkeys(("html", "markdown", "junit", "sarif", "github"), True)
        | {"evidence": False, "baseline_optional": True, "constant_target": True}
        | {**limits, "min_coverage": 0.25, "baseline": str(before)}
        | {"alpha": 0.02, "max_undetectable": 0.9, "repeat": "fresh-prompts"}
    )
    assert (shown.code in (0, 3), shown.err) == (True, "")
    rules = {each["rule"]: each for each in pretended.json["gate"]["rules"]}
    assert len(rules) == 5
    assert rules["fail-under"]["expected"].endswith("1.5, and in 90 % of repeats")
    assert rules["baseline"]["expected"].endswith("at level 0.02")
    assert pretended.json["repeat_interval"]["repeat"] == "fresh-prompts"
    endings = ("json", "html", "md", "junit.xml", "sarif")
    expected = {f"scan.tbsa.{ending}" for ending in endings}
    assert pretended.files == expected | {before.name}


def test_a_failed_gate_says_each_rule_and_does_not_end_the_next_scan(
    pretended: Pretended,
) -> None:
    rules = {"fail_under": 4.5, "require_tier1_grade": 1}
    shown = pretended.end({**rules, "html": True, "markdown": True})
    assert (shown.code, shown.err) == (3, "")
    assert "❌ gate failed: fail-under: expected TBSA of at least 4.5" in shown.out
    assert "✔️ gate passed: require-tier1-grade" in shown.out
    forms = ("json", "html", "md")
    paths = [f"{pretended.folder / 'scan'}.tbsa.{form}" for form in forms]
    assert shown.lines[-3:] == [f"📜 TBSA written to {path}" for path in paths]
    outcomes = pretended.json["gate"]["rules"]
    assert [rule["passed"] for rule in outcomes] == [False, True, True]
    assert "1 of 2 rules failed" in pretended.written("html")
    assert pretended.end(None).code == 0


def test_of_several_scans_in_one_run_the_worst_counts(pretended: Pretended) -> None:
    def scanning(command: Any) -> None:
        for least in (5, 1):
            pretended.configured({"fail_under": least})
            command.end_run()

    with pytest.raises(SystemExit) as end:
        pretended_run(scanning)
    assert end.value.code == 3


def test_a_baseline_that_the_scan_is_worse_than_names_the_pair(
    pretended: Pretended,
) -> None:
    """The same sentence as that of compare, after a scan too."""
    before, pretended.report = (
        scan(pretended.folder, pairs_named((1, passed, 100), (2, 90, 100)), name)
        for name, passed in (("before", 95), ("after", 60))
    )
    shown = pretended.end({"baseline": str(before)})
    assert shown.code == 3
    assert (
        "gate failed: baseline: worse than the baseline (p = 0.0002): probe.P00 + D"
        " fell from 95 % to 60 %; TBSA "
    ) in shown.out


def test_a_closed_stderr_is_no_reason_to_fail(pretended: Pretended) -> None:
    class Closed:
        encoding = "utf-8"

        def write(self, _: str) -> int:
            raise ValueError("I/O operation on closed file")

    pretended.patch.setattr(sys, "stderr", Closed())
    assert pretended.end("wrong").code == 0


def test_texts_and_paths_of_any_characters(pretended: Pretended) -> None:
    """No control character of either reaches the terminal."""
    folder = pretended.folder / os.fsdecode(b"a\nb \xff 'c\" \x1b[31m \xe2\x80\xae")
    folder.mkdir()
    pretended.wrote(folder, "hostile-text")
    shown = pretended.end({"baseline": str(pretended.report), "fail_under": 5})
    assert shown.code == 3
    assert pretended.files == {"scan.tbsa.json"}
    assert (shown.out + shown.err).replace("\n", "").replace("\ufe0f", "").isprintable()


def test_modules_without_what_we_wrap_stay_as_they_are() -> None:
    module = ModuleType("garak.command")
    before = dict(vars(module))
    hook.wrap(module, bool)
    assert vars(module) == before


@pytest.mark.parametrize(
    ("settings", "repeat"),
    [
        ({"html": True}, "same-prompts"),
        ({"repeat": "fresh-prompts"}, "fresh-prompts"),
        ({"fail_under": 1, "sure": 0.5}, "same-prompts"),
    ],
)
def test_text_gate_and_every_output_tell_of_the_same_repeat(
    settings: dict[str, object], repeat: str, pretended: Pretended
) -> None:
    pretended.report = Path(write_alike(pretended.folder))
    shown = pretended.end(settings)
    on = f" on {repeat.replace('-', ' ')}".replace("same", "the same")
    assert f"a repeat of this scan{on} would score" in shown.out
    interval = pretended.json["repeat_interval"]
    assert (interval["repeat"], interval["pairs_with_attempts"]) == (repeat, 3)
    if "html" in settings:
        page = pretended.written("html")
        assert "A repeat of this scan on the same prompts would score" in page
    if "sure" in settings:
        (said,) = [line for line in shown.lines if "fail-under" in line]
        assert "of repeats on the same prompts" in said


def test_a_gate_that_repeats_would_mostly_fail_says_so_once_they_are_known(
    pretended: Pretended,
) -> None:
    """A person is to look at it; it is the same rule that is shown once."""
    pretended.first(
        "from tests.repeats import repeats\n"
        + replacing(
            "api.score",
            "repeat_of_scan",
            "lambda *_: repeats((1.5, 0.75), (4.1, 0.25))",
        )
    )
    doubt = "but 75 % of repeats would fail this rule"
    shown = pretended.end({"fail_under": 2, "github": True})
    said, command = [line for line in shown.lines if "fail-under" in line]
    assert said.endswith(f"found TBSA 4.1, {doubt}")
    title = "::warning title=gate passed%2C with a doubt%3A fail-under::"
    assert command.startswith(title)
    assert command.endswith(doubt.replace("%", "%25"))
    gate = pretended.json["gate"]
    assert (gate["passed"], gate["rules"][0]["found"]) == (True, f"TBSA 4.1, {doubt}")
    # judged by the distribution itself, before any of it is shown
    shown = pretended.end({"fail_under": 2, "sure": 0.9, "json": False})
    assert shown.code == 3
    assert sum("fail-under" in line for line in shown.lines) == 1


def test_github_is_told_where_that_is_set(pretended: Pretended) -> None:
    path = scan(pretended.folder, pairs_named((1, 4, 40), (1, 40, 40)))
    pretended.report = path
    for github in (False, True):
        shown = pretended.end({"require_tier1_grade": 3, "github": github})
        assert shown.code == 3
        assert [line for line in shown.lines if line.startswith("::")] == [
            "::error title=gate failed%3A require-tier1-grade::"
            f"{path}: expected every Tier 1 pair at grade 3 or better; found 1 below:"
            " probe.P00+D at 2"
        ] * github
