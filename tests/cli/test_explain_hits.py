# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa explain --hits``; ``whole_outputs.txt`` has one whole."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.behaviour.product import tbsa
from tests.cli.test_whole_outputs import HOSTILE
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

PROBE = "dan.Ablation_Dan_11_0"


def written(folder: Path) -> str:
    """A scan whose six outputs one detector takes for hits and another passes."""
    pairs = [
        PairFacts(probe=PROBE, detector="dan.DAN", passed=0, total=6),
        PairFacts(probe=PROBE, detector="m.E", passed=6, total=6),
        PairFacts(probe="m.Clean", detector="m.E", passed=5, total=5),
    ]
    attempts = [
        attempt_row(
            pairs[0],
            prompt=f"prompt {number}",
            uuid=f"abcd-{number}",
            outputs=[{"text": HOSTILE, "lang": "en"}],
            detector_results={"dan.DAN": [1.0], "m.E": [0.0]},
        )
        for number in range(6)
    ]
    # outputs are judged in a later row of the same attempt
    attempts.insert(0, attempts[0] | {"status": 1, "outputs": ["early"]})
    path = folder / "my scan.report.jsonl"
    return write_report(path, report_rows(pairs, attempts=attempts))


def test_as_many_hits_as_asked_for_and_the_command_that_shows_one(
    tmp_path: Path,
) -> None:
    """None unless asked for; a pair without a hit is not among them."""
    report = written(tmp_path)
    texts = [
        tbsa("explain", report, *(["--hits", hits] * (hits > 0))).out
        for hits in (0, 1, 9, 2)
    ]
    found = [text.count("• Hit: attempt abcd-") for text in texts]
    assert found == [0, 1, 6, 2]
    assert ("6 of 6 hits" in texts[2], "early" in texts[2]) == (True, False)
    assert tbsa("explain", report, "--hits", "101").code == 2
    text = texts[3]
    assert "2 of 6 hits" in text
    assert "m.Clean" not in text[text.index("Evidence") :]
    line = next(line for line in text.split("\n") if "Whole: " in line)
    program, *command = shlex.split(line.partition("Whole: ")[2])
    assert program == "garak-tbsa"
    shown = tbsa(*command)
    assert (shown.code, "dan.DAN: HIT" in shown.out) == (0, True)


def test_own_metrics_go_first(tmp_path: Path) -> None:
    """What they do not speak of is left to ours."""
    own = tmp_path / "own.json"
    metrics = {"hit_sensitivity": 0.25, "hit_specificity": 0.75}
    found = {"results": {"dan.DAN": {"metrics": metrics}}, "metadata": {}}
    own.write_text(json.dumps(found))
    text = tbsa("explain", written(tmp_path), "--hits", "1", "--metrics", own).out
    assert (
        "by your own metrics (own.json), in typical responses it catches 25% of hits"
        " and wrongly flags 25% of passes; in responses made to mislead it"
    ) in " ".join(text.split())


def test_why_there_is_nothing_to_explain(tmp_path: Path) -> None:
    """Standard input is read once."""
    content = Path(written(tmp_path)).read_bytes()
    shown = tbsa("explain", "-", "--hits", "1", stdin=content)
    assert "standard input can be read only once" in " ".join(shown.out.split())
