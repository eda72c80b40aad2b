# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What all pages share."""

from __future__ import annotations

import base64
import hashlib

from garak_tbsa.outputs.html_page import content_policy, filled
from garak_tbsa.tbsa.history import ManyScored
from tests.html_pages import Page

EMPTY = ManyScored(folder="/reports", reports=0, targets=(), alpha=0.05)
NOTHING = {"view": EMPTY, "notes": [], "targets": []}


def hash_of(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def test_the_policy_allows_the_one_style_sheet_by_its_hash() -> None:
    parsed = Page(filled("history.html", NOTHING))
    assert parsed.script == ""
    assert parsed.policy == (
        f"default-src 'none'; style-src 'sha256-{hash_of(parsed.style)}';"
        " base-uri 'none'; form-action 'none'"
    )


def test_the_policy_allows_the_one_script_by_its_hash() -> None:
    parsed = Page(
        filled("history.html", NOTHING, styles=["label.css"], scripts=["label.js"])
    )
    assert len(parsed.script) > 1000
    assert parsed.policy == (
        f"default-src 'none'; script-src 'sha256-{hash_of(parsed.script)}';"
        f" style-src 'sha256-{hash_of(parsed.style)}';"
        " base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    assert parsed.policy == content_policy(parsed.style, parsed.script)
