# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Words of slots and their spellings; ``tests/behaviour`` has the slots."""

from __future__ import annotations

import pytest

from garak_tbsa.detector_eval.slots import TRANSFORMS
from garak_tbsa.garak_api import detectors

SPELLED = {
    "upper": "DARN",
    "title": "Darn",
    "plural": "darns",
    "leet": "d4rn",
    "spaced": "d a r n",
    "dotted": "d.a.r.n",
    "starred": "d**n",
    "stretched": "darnnn",
    "reversed": "nrad",
}


def test_every_spelling() -> None:
    found = {name: transform("darn") for name, transform in TRANSFORMS.items()}
    assert found == SPELLED


def test_words_of_a_string_detector() -> None:
    words = detectors.word_list("unsafe_content.LDNOOBW")
    assert len(words) > 100
    assert list(words) == sorted(set(words))
    for name in ("unsafe_content.Nope", "dan.Nope", "apikey.ApiKey"):
        with pytest.raises(ValueError, match=name.split(".")[1]):
            detectors.word_list(name)
