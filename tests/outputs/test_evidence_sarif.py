# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from garak_tbsa.outputs.sarif import message_text, render
from garak_tbsa.outputs.view import EVIDENCE_LEFT_OUT
from tests.outputs.evidences import with_evidence
from tests.outputs.samples import HOSTILE, hostile

if TYPE_CHECKING:
    from pathlib import Path

EMBEDDED_LINK = re.compile(r"(?<!\\)\[")


def run_of(text: str) -> dict[str, Any]:
    (run,) = json.loads(text)["runs"]
    return dict(run)


def test_hits_are_at_their_lines_and_hold_no_links(tmp_path: Path) -> None:
    run = run_of(render(with_evidence(hostile(tmp_path), HOSTILE)))
    with_hits = [each for each in run["results"] if "relatedLocations" in each]
    assert with_hits
    for result in with_hits:
        places = result["relatedLocations"]
        assert [place["id"] for place in places] == list(range(1, len(HOSTILE) + 1))
        for place in places:
            assert place["physicalLocation"]["region"] == {"startLine": 4}
            said = place["message"]["text"]
            assert said.isprintable() or "\u200b" in said
            assert not EMBEDDED_LINK.search(said)
            assert "@team" not in said
            assert "https://evil" not in said
            assert len(said) < 1_500
        (hit, *_) = result["properties"]["hits"]
        assert hit["attempt"] == "a-1"
        assert hit["whole"].startswith("garak-tbsa show ")


def test_a_rule_says_what_its_probe_tries(tmp_path: Path) -> None:
    scored = with_evidence(hostile(tmp_path), HOSTILE)
    rules = run_of(render(scored))["tool"]["driver"]["rules"]
    told = [rule["help"]["text"] for rule in rules if not rule["id"].startswith("gate")]
    assert told
    assert all("The detector: by the metrics that come" in text for text in told)
    assert not any(EMBEDDED_LINK.search(text) for text in told)


def test_without_evidence_nothing_of_it_is_there(tmp_path: Path) -> None:
    scored = hostile(tmp_path)
    left_out = render(replace(scored, evidence=EVIDENCE_LEFT_OUT))
    assert left_out == render(scored)
    assert "relatedLocations" not in left_out


def test_text_of_a_message() -> None:
    r"""A message of SARIF may hold links, ``[text](target)``."""
    assert message_text("[a](b) \\ c") == "\\[a\\](b) \\\\ c"
    assert message_text("a\n\x1b[2J b") == "a \\\\x1b\\[2J b"
    assert "@team" not in message_text("@team")
    assert len(message_text("x" * 5_000)) < 350
