# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real garak scans, offline, with the package installed: what follows the scan."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from garak_tbsa.host import hook
from tests.factories import pairs_named, report_rows, write_report
from tests.host.scans import (
    ENDED,
    MAIN,
    end_scan,
    ended_with,
    keeping,
    scan,
)
from tests.installed import HOST_VARIABLE, with_wheel
from tests.older_garak import OLDER, NotAvailableError, unpacked

# the other tests of this folder measure what runs in garak
pytestmark = pytest.mark.usefixtures("unmeasured_commands")


def test_a_run_configuration_asks_for_outputs_and_a_gate_that_fails(
    tmp_path: Path,
) -> None:
    config = tmp_path / "run.yaml"
    config.write_text(
        "reporting:\n"
        "  tbsa:\n"
        "    html: true\n"
        "    markdown: true\n"
        "    junit: true\n"
        "    sarif: true\n"
        "    fail_under: 4.5\n"
        "    require_tier1_grade: 1\n"
        "    baseline: nowhere.report.jsonl\n"
    )
    start = keeping(tmp_path)
    done = scan(tmp_path, "--config", str(config), start=start)
    assert done.code == 3
    assert done.tbsa_files == {
        "scan.tbsa.json",
        "scan.tbsa.html",
        "scan.tbsa.md",
        "scan.tbsa.junit.xml",
        "scan.tbsa.sarif",
    }
    done.assert_garaks_files_unchanged()
    shown = done.after_garak
    assert "❌ gate failed: fail-under: expected TBSA of at least 4.5" in shown
    assert "✔️ gate passed: require-tier1-grade" in shown
    assert "❌ gate failed: baseline" in shown
    assert "nowhere.report.jsonl" in shown
    gate = json.loads(done.file(".tbsa.json").read_text())["gate"]
    assert [rule["passed"] for rule in gate["rules"]] == [False, True, False, True]
    assert ElementTree.parse(done.file(".tbsa.junit.xml")).getroot().tag == "testsuites"
    assert "2 of 3 rules failed" in done.file(".tbsa.html").read_text()
    # garak had finished everything by then
    assert done.out.index(ENDED) < done.out.index("TBSA")
    assert json.loads(done.file(".report.jsonl").read_text().splitlines()[-1])[
        "entry_type"
    ] == ("digest")


def test_site_settings_count_in_programs_that_call_garak(tmp_path: Path) -> None:
    """Programmatic ``garak.cli.main([...])`` works alike, and goes on if it likes."""
    site = tmp_path / "config" / "garak"
    site.mkdir(parents=True)
    rules = {"require_tier1_grade": 1, "fail_under": 5, "markdown": True, "json": False}
    (site / "garak.site.json").write_text(json.dumps({"reporting": {"tbsa": rules}}))
    program = tmp_path / "program.py"
    program.write_text(
        MAIN.replace(
            "garak.cli.main(arguments)",
            "try:\n    garak.cli.main(arguments)\n"
            "except SystemExit as end:\n    print('ended with', end.code)\n"
            "garak.cli.main(['--version'])\nprint('and went on')",
        )
    )
    done = scan(tmp_path, "--parallel_attempts", "2", start=(str(program),))
    assert done.code == 0
    assert "ended with 3" in done.after_garak
    assert done.out.endswith("and went on\n")
    assert done.tbsa_files == {"scan.tbsa.md"}


def test_outputs_that_cannot_be_written_harm_nothing(tmp_path: Path) -> None:
    """A folder in place of one file, a full disk behind another."""
    config = tmp_path / "run.json"
    config.write_text(
        json.dumps({"reporting": {"tbsa": {"html": True, "markdown": True}}})
    )
    runs = tmp_path / "data" / "garak" / "garak_runs"
    (runs / "scan.tbsa.json").mkdir(parents=True)
    (runs / "scan.tbsa.html").symlink_to("/dev/full")
    done = scan(tmp_path, "--config", str(config), start=keeping(tmp_path))
    assert done.code == 0
    assert "TBSA: " in done.after_garak
    (error,) = done.our_errors
    assert "scan.tbsa.json: cannot be written (Is a directory)" in error
    assert error.endswith("; also not written: scan.tbsa.html")
    assert done.file(".tbsa.md").read_text().startswith("## ")
    done.assert_garaks_files_unchanged()


@pytest.mark.parametrize("option", ["--version", "--list_probes"])
def test_what_does_not_scan_is_untouched(option: str, tmp_path: Path) -> None:
    ours = with_wheel().run("-m", "garak", option, folder=tmp_path)
    program = (
        "import sys; sys.meta_path = [f for f in sys.meta_path if"
        " type(f).__module__ != 'garak_tbsa.host._register'];"
        f" import garak.cli; garak.cli.main([{option!r}])"
    )
    garaks = with_wheel().run("-c", program, folder=tmp_path)
    assert (ours.returncode, ours.stderr) == (garaks.returncode, garaks.stderr)
    # the first line ends with the time
    assert ours.stdout.splitlines()[1:] == garaks.stdout.splitlines()[1:]
    assert not (tmp_path / "data" / "garak" / "garak_runs").exists()


def unpacked_or_skipped(older: str) -> Path:
    try:
        return unpacked(older)
    except NotAvailableError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"garak {older} cannot be downloaded: {error}")


@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="an older host is under test")
def test_a_garak_too_old_is_scored_with_a_word_about_it(tmp_path: Path) -> None:
    probe = "goodside.ThreatenJSON"
    done = scan(tmp_path, host=unpacked_or_skipped("0.13.3"), probes=probe)
    assert "v0.13.3 (" in done.out
    assert done.code == 0
    assert "TBSA: " in done.after_garak
    assert done.our_errors == [
        "garak-tbsa: garak 0.13.3 is older than 0.14, the oldest that garak-tbsa"
        " supports, so this score may be wrong (GARAK_TBSA=0 turns this off)"
    ]


@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="an older host is under test")
# the oldest and the newest are hosts of all these tests: make test-host
@pytest.mark.parametrize("older", OLDER[1:-1])
def test_older_garaks_are_hosts_too(older: str, tmp_path: Path) -> None:
    host = unpacked_or_skipped(older)
    done = scan(tmp_path, host=host)
    assert f"v{older} (" in done.out
    assert done.code == 0
    assert "TBSA: " in done.after_garak
    assert done.our_errors == []
    document = json.loads(done.file(".tbsa.json").read_text())
    assert document["garak_version"] == older
    assert len(document["pairs"]) == 2


# what a scan need not be run for


@pytest.fixture
def report(tmp_path: Path, gold_folder: str) -> str:
    copy = tmp_path / "scan.report.jsonl"
    copy.write_bytes((Path(gold_folder) / "garak-0.17.1.report.jsonl").read_bytes())
    return str(copy)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ("yes", "reporting.tbsa: expected settings such as fail_under: 3.5"),
        ({"pdf": True}, "reporting.tbsa.pdf: not a setting; expected one of enabled,"),
        ({"json": 1}, "reporting.tbsa.json: expected true or false, found 1"),
        (
            {"alpha": 2},
            "reporting.tbsa.alpha: expected a number from 0.0001 to 0.5, found 2",
        ),
    ],
)
def test_wrong_settings_are_one_line(
    settings: object,
    error: str,
    report: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended_with(monkeypatch, report, settings)
    assert end_scan(1, a=2) == ((1,), {"a": 2})
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"garak-tbsa: no TBSA for this scan: {error}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "settings", [{"require_tier1_grade": 2.5}, {"fail_under": 1, "jsn": True}]
)
def test_a_gate_with_wrong_settings_fails(
    settings: object,
    report: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A scan that cannot be judged must not pass a gate."""
    ended_with(monkeypatch, report, settings)
    with pytest.raises(SystemExit) as end:
        end_scan()
    assert end.value.code == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "; the gate fails, because it was not judged;" in line


def test_a_gate_fails_where_the_report_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = str(tmp_path / "scan.report.jsonl")
    ended_with(monkeypatch, report, {"fail_under": 1})
    with pytest.raises(SystemExit) as end:
        end_scan()
    assert end.value.code == 3
    ended_with(monkeypatch, report, None)
    end_scan()
    gated, free = capsys.readouterr().err.splitlines()
    expected = f"garak-tbsa: no TBSA for this scan: {report}: cannot be opened"
    assert gated.startswith(expected)
    assert free.startswith(expected)
    assert "; the gate fails, because it was not judged;" in gated
    assert "the gate" not in free


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
    settings: object,
    written: set[str],
    report: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended_with(monkeypatch, report, settings)
    end_scan()
    assert {path.name for path in tmp_path.iterdir()} == {"scan.report.jsonl"} | written


def test_a_baseline_that_the_scan_is_worse_than_names_the_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same sentence as that of compare, after a scan too."""
    before, after = (
        write_report(
            tmp_path / f"{name}.report.jsonl",
            report_rows(pairs_named((1, passed, 100), (2, 90, 100))),
        )
        for name, passed in (("before", 95), ("after", 60))
    )
    ended_with(monkeypatch, after, {"baseline": before})
    with pytest.raises(SystemExit):
        end_scan()
    out = capsys.readouterr().out
    assert (
        "gate failed: baseline: worse than the baseline (p = 0.0002): probe.P00 + D"
        " fell from 95 % to 60 %; TBSA "
    ) in out


def test_a_gate_of_one_scan_does_not_end_the_next(
    report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended_with(monkeypatch, report, {"fail_under": 5})
    with pytest.raises(SystemExit):
        end_scan()
    ended_with(monkeypatch, report, None)
    end_scan()


def test_a_closed_stderr_is_no_reason_to_fail(
    report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closed:
        encoding = "utf-8"

        def write(self, _: str) -> int:
            raise ValueError("I/O operation on closed file")

    ended_with(monkeypatch, report, "wrong")
    monkeypatch.setattr(sys, "stderr", Closed())
    end_scan()


def test_control_characters_of_a_report_do_not_reach_the_terminal(
    gold_folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = tmp_path / "scan.report.jsonl"
    hostile.write_bytes((Path(gold_folder) / "hostile-text.report.jsonl").read_bytes())
    ended_with(monkeypatch, str(hostile), {"fail_under": 5})
    with pytest.raises(SystemExit):
        end_scan()
    out, err = capsys.readouterr()
    shown = (out + err).replace("\n", "").replace("\ufe0f", "")
    assert shown.isprintable()


def test_modules_without_what_we_wrap_stay_as_they_are() -> None:
    module = ModuleType("garak.command")
    before = dict(vars(module))
    hook.wrap(module, bool)
    assert vars(module) == before
