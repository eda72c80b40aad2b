# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path

from garak_tbsa.labels.forms.markdown import render
from tests.github_links import harmless_tokens, links_in
from tests.labels.forms.samples import hostile, mixed, settled


def test_all_there_is_to_say(tmp_path: Path) -> None:
    shown = render(mixed(tmp_path))
    assert re.match(r"## \S+ TBSA 4\.1 by detectors; .* by 31 labels\n\n- By la", shown)
    for said in (
        "\n- 31 of 80 outputs are labelled; skip or unsure: 1; of pairs",
        "\n- **Warning**: 2 labels are of outputs that a person picked",
        "\n- **Warning**: 1 of 5 pairs could not be audited",
        "\n- 3 raters on 3 common outputs",
        "\n| fail-under | **failed** | a lower end of at least 4.5 |",
        "\n| detector | labels | sensitivity | specificity | precision | NPV |\n",
        "\n| dan.DAN | 6 + 14 | 0",
        "\n\nNo label yet: enc.D\n",
        "\n| dan.Two+dan.DAN | 1 | 5 | ",
        "\n| label next | labels | unlabelled |\n",
        "<summary>1 pair not audited</summary>\n\n- web.Gone+web.D: the report has 0",
        "\n\n_TBSA sums a scan up; it does not replace reading the report._\n",
    ):
        assert said in shown


def test_nothing_changes_and_nothing_is_next(tmp_path: Path) -> None:
    shown = render(settled(tmp_path))
    assert "\n\nThe labels change no pair's grade.\n\n" in shown
    assert "\n\nEvery output of the audited pairs is labelled.\n\n" in shown
    assert "| gate |" not in shown
    assert "not audited" not in shown


def test_hostile_text_is_text(tmp_path: Path) -> None:
    """Rendered, a report's text is what it was, and no markup of its own."""
    document = render(hostile(tmp_path))
    tokens = harmless_tokens(document)
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>1 pair not audited</summary>", "</details>"]
    assert links_in(document) == []
    for row in (line for line in document.splitlines() if line.startswith("| d")):
        assert row.count("|") == 7
