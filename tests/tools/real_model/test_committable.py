# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the page for garak's maintainers says could be committed, by its own rules."""

from __future__ import annotations

import re

from garak_tbsa.detector_eval.installed import refusal
from garak_tbsa.detector_eval.summary_file import read_summary
from tools.labelled_data.families import DATA, ROOT
from tools.real_model.scanned_page import checks

PAGE = ROOT / "docs" / "how_to" / "garak_metrics_file.md"
LONGEST = 600


def test_the_detectors_are_those_that_the_rules_let_through() -> None:
    summary = read_summary(str(DATA / "detector_metrics_summary.json"))
    alike = {check.detector for check in checks() if not check.differs}
    expected = [
        name
        for name, measured in summary.measured.items()
        if measured.has_real_hits and refusal(measured) is None and name in alike
    ]
    text = PAGE.read_text(encoding="utf-8")
    said = re.search(r"Five detectors pass:\s(.*?)\.\n\n", text, re.DOTALL)
    assert said is not None
    assert re.findall(r"`([^`]*)`", said[1]) == expected
    assert len(expected) == 5


def test_the_page_is_short() -> None:
    prose = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(prose.split()) <= LONGEST
