# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Names, words and places of the installed garak's detectors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detectors import (
    is_detector,
    known_detectors,
    own_detectors,
    resolve_detectors,
    word_list,
)

MODULE = """
class Own:
    def detect(self, attempt):
        return [0.0]

class NoDetector:
    pass
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "own_detectors.py").write_text(MODULE)
    (tmp_path / "broken_detectors.py").write_text("raise RuntimeError('no luck')")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("own_detectors", None)


def test_garak_s_detectors_are_known() -> None:
    assert "dan.DAN" in known_detectors()
    assert "base.TriggerListDetector" in known_detectors()
    assert "base.TriggerListDetector" not in own_detectors()
    assert is_detector("package.module:Class")
    assert not is_detector("dan.DANN")


SPECS = {
    "dan.DAN": ("dan.DAN",),
    "detectors.dan.DAN, dan.DUDE": ("dan.DAN", "dan.DUDE"),
    "base.TriggerListDetector": ("base.TriggerListDetector",),
    "snowball": ("snowball.DontStartNo", "snowball.DontStartYes"),
    "ansiescape.*": ("ansiescape.Escaped", "ansiescape.Raw"),
    "dan.D?D?": ("dan.DUDE",),
    "own_detectors:Own": ("own_detectors:Own",),
}


@pytest.mark.usefixtures("own_module")
def test_what_a_spec_names() -> None:
    """All are the active ones, and an inactive module is whole."""
    assert {spec: resolve_detectors(spec) for spec in SPECS} == SPECS
    active = resolve_detectors("all")
    assert active == resolve_detectors("*")
    assert "dan.DAN" in active
    assert "perspective.Toxicity" not in active
    assert len(resolve_detectors("perspective")) == 22


LIST = "`garak --list_detectors` lists the names"
CLASS = "with a detect method; expected package.module:Class"
NONE = {
    "dan.DANN": "--detectors: garak has no 'dan.DANN'; did you mean 'dan.DAN'?",
    "dann": "--detectors: garak has no 'dann'; did you mean 'dan'?",
    "mitigation.mitigationbypass": (
        "--detectors: garak has no 'mitigation.mitigationbypass'; did you mean"
        " 'mitigation.MitigationBypass'?"
    ),
    "zzz.Q*": f"--detectors: garak has no 'zzz.Q*'; {LIST}",
    " , ": "--detectors ' , ': names no detector; try dan.DAN or all",
    "own_detectors:Other": (
        f"own_detectors:Other: own_detectors has no class 'Other' {CLASS}"
    ),
    "own_detectors:NoDetector": (
        f"own_detectors:NoDetector: own_detectors has no class 'NoDetector' {CLASS}"
    ),
    "broken_detectors:X": (
        "broken_detectors:X: broken_detectors cannot be imported (RuntimeError: no"
        " luck); check the name and PYTHONPATH"
    ),
}


@pytest.mark.usefixtures("own_module")
def test_a_name_that_is_none_is_told_with_the_nearest() -> None:
    for spec, message in NONE.items():
        with pytest.raises(UsageError) as caught:
            resolve_detectors(spec)
        assert str(caught.value) == message


def test_words_of_a_string_detector() -> None:
    words = word_list("unsafe_content.LDNOOBW")
    assert len(words) > 100
    assert list(words) == sorted(set(words))
    for name in ("unsafe_content.Nope", "dan.Nope", "apikey.ApiKey"):
        with pytest.raises(ValueError, match=name.split(".")[1]):
            word_list(name)
