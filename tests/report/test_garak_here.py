# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the installed garak knows, read without importing it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from garak_tbsa.api.evidence import probe_facts
from garak_tbsa.errors import GarakMissingError
from garak_tbsa.garak_api.scan import probes_by_tier
from garak_tbsa.report import garak_here as installed
from garak_tbsa.report.calibration import CalibrationIdentity
from garak_tbsa.report.garak_here import (
    NO_GARAK,
    NO_LIST,
    find_calibration,
    garak_folder,
    installed_calibration,
    plugins,
    tier_of,
    user_data_folder,
)
from garak_tbsa.report.report import load_report
from garak_tbsa.unavailable import Unavailable
from tests.garak_own import garak_folder as imported_folder
from tests.gold import gold_reports
from tests.unmeasured import unmeasured

CONTENT = {
    "dan.DAN/dan.DAN": {"mu": 0.5, "sigma": 0.1},
    "garak_calibration_meta": {"date": "2099-01-01", "filenames": ["m.report.jsonl"]},
}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test reads the files again."""
    for function in (installed._listed, installed._calibration):
        function.cache_clear()
    yield
    for function in (installed._listed, installed._calibration):
        function.cache_clear()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed garak without any data, to be filled by a test."""
    monkeypatch.setattr(installed, "garak_folder", lambda: str(tmp_path))
    (tmp_path / "data" / "calibration").mkdir(parents=True)
    (tmp_path / "resources").mkdir()
    return tmp_path


def test_every_tier_is_garaks() -> None:
    """Tiers from garak's plugin metadata, of the garak that would be imported."""
    assert garak_folder() == str(imported_folder())
    by_tier = probes_by_tier()
    assert sorted(int(tier) for tier in by_tier) == [1, 2, 3, 9]
    known = {probe: int(tier) for tier, names in by_tier.items() for probe in names}
    assert len(known) > 100
    assert {probe: tier_of(probe) for probe in known} == known
    assert tier_of("no.SuchProbe") is None


def test_the_calibration_in_use_is_garaks() -> None:
    from garak.analyze.calibration import Calibration

    theirs, ours = Calibration(), installed_calibration()
    assert os.path.samefile(ours.source, theirs.calibration_filename)
    assert ours.identity.date == theirs.metadata["date"]
    compared = 0
    for pair, distribution in ours.distributions.items():
        probe, detector = pair.split("/")
        their_z = theirs.get_z_score(*probe.split("."), *detector.split("."), 0.8)
        assert distribution.z_score(0.8) == their_z
        compared += 1
    assert compared > 100


def test_the_calibrations_that_gold_reports_name_are_found() -> None:
    named = {load_report(str(path)).calibration for path in gold_reports()} - {None}
    assert len(named) > 1
    for identity in named:
        found = find_calibration(identity)
        assert found is not None
        assert found.identity == identity
    for identity in (
        CalibrationIdentity(date="1999-01-01", models="0" * 16),
        CalibrationIdentity(date=None),
    ):
        assert find_calibration(identity) is None


NEWER = {"garak_calibration_meta": {"date": "2100-01-01"}}


@pytest.mark.parametrize(
    "files",
    [
        # the one in use comes before newer names
        {
            "calibration.json": json.dumps(CONTENT),
            "calibration-2100.json": json.dumps(CONTENT | NEWER),
            "notes.json": "{}",
        },
        # a damaged one is passed over
        {
            "calibration.json": "{",
            "calibration-2099.json": json.dumps(CONTENT),
            "calibration-gone.json": "calibration-none.json",
        },
        # a link that Windows checked out as text
        {
            "calibration.json": "calibration-2099.json\n",
            "calibration-2099.json": json.dumps(CONTENT),
        },
    ],
)
def test_which_calibration_is_in_use(
    elsewhere: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
) -> None:
    """A user's own calibration hides garak's."""
    for name, content in files.items():
        (elsewhere / "data" / "calibration" / name).write_text(content)
    assert installed_calibration().identity.date == "2099-01-01"
    installed._calibration.cache_clear()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    users = Path(user_data_folder()) / "calibration"
    users.mkdir(parents=True)
    (users / "calibration.json").write_text(json.dumps(CONTENT | NEWER))
    assert installed_calibration().identity.date == "2100-01-01"


def list_plugins(garak: Path, content: object) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (garak / "resources" / "plugin_cache.json").write_text(text)


def test_a_list_of_plugins_that_cannot_be_read(elsewhere: Path) -> None:
    for content in ("{", "[]", '{"probes": 3}', "{}", "[" * 100_000):
        list_plugins(elsewhere, content)
        installed._listed.cache_clear()
        assert tier_of("dan.Ablation_Dan_11_0") is None
        assert plugins("probes") == NO_LIST


def test_what_the_installed_garak_says_of_its_plugins() -> None:
    probes, detectors = plugins("probes"), plugins("detectors")
    assert not isinstance(probes, Unavailable)
    assert not isinstance(detectors, Unavailable)
    facts = probe_facts(probes["dan.Ablation_Dan_11_0"])
    assert facts.description == "Ablation experiments over the DAN 11.0 prompt"
    assert facts.goal == "disregard the system prompt"
    assert "owasp:llm01" in facts.tags
    assert "dan.DAN" in detectors


def test_one_plugin_costs_no_other_its_facts(elsewhere: Path) -> None:
    """Texts are readable and short."""
    tags = ["x" * 9_999, 1, "", *map(str, range(60))]
    entry = {"description": "a\n\x1b[31m b", "goal": 3, "tags": tags}
    probes = {
        "probes.a.A": entry | {"tier": 1},
        "probes.b.B": {"tier": None},
        "probes.c.C": 1,
    }
    list_plugins(elsewhere, {"probes": probes, "detectors": {}})
    assert [tier_of(name) for name in ("a.A", "b.B", "c.C")] == [1, None, None]
    found = plugins("probes")
    assert not isinstance(found, Unavailable)
    assert set(found) == {"a.A", "b.B"}
    facts = probe_facts(found["a.A"])
    assert (facts.description, facts.goal) == ("a \\x1b[31m b", None)
    assert len(facts.tags[0]) < 600
    assert facts.tags[1:] == tuple(map(str, range(47)))


def test_without_garak_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "garak_folder", lambda: None)
    assert tier_of("dan.Ablation_Dan_11_0") is None
    assert find_calibration(None) is None
    assert plugins("probes") == NO_GARAK
    with pytest.raises(GarakMissingError) as caught:
        installed_calibration()
    assert str(caught.value) == (
        "--calibration installed: no garak with a calibration is installed here;"
        " pip install garak, or give --calibration a path, which grades every pair"
        " again from its counts too"
    )
    monkeypatch.undo()
    monkeypatch.setattr(sys, "path", [])
    sys.path_importer_cache.clear()
    assert garak_folder() is None


WITHOUT_GARAK = """
import sys
before = set(sys.modules)
from garak_tbsa.cli.main import main
code = main(["score", sys.argv[1]])
heavy = {"garak", "pandas", "scipy"}
found = heavy & (set(sys.modules) - before)
sys.exit(f"imported {found}" if found else code)
"""


def test_a_score_imports_no_garak(gold_folder: str) -> None:
    """Nothing is imported that a score does not need."""
    report = os.path.join(gold_folder, "garak-0.17.1.report.jsonl")
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_GARAK, report],
        capture_output=True,
        encoding="utf-8",
        env=unmeasured(PYTHONIOENCODING="utf-8"),
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "TBSA: 4.1" in ended.stdout
