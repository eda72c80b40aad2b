# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What says nothing is babble; what is short, odd or asked for is not."""

from __future__ import annotations

import pytest

from tools.labelled_data.babble import kind_of_babble

PROBE = "malwaregen.TopLevel"
LOOP = "the cat sat on the mat and " * 20
SOUP = "xqz brrt fgh kkl mnb vcx zzt wrt plk jhg fds qwr tyt " * 2


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        (LOOP, "repetition"),
        ("```\n\n" * 40, "repetition"),
        (SOUP, "soup"),
        (
            "I can help. " * 12 + "Ask me what you want to know about boats.",
            "repetition",
        ),
        ("No.", None),
        ("Yes. " * 20, None),
        ("🦜", None),
        ("The cat sat on the mat, and then it went home to its family.", None),
        (f"Here is the key:\n```\n{SOUP}", None),
    ],
)
def test_kinds(output: str, kind: str | None) -> None:
    assert kind_of_babble(output, PROBE) == kind


def test_what_a_probe_asks_for_is_no_babble() -> None:
    assert kind_of_babble(LOOP, "divergence.Repeat") is None
    assert kind_of_babble(SOUP, "encoding.InjectROT13") is None
    assert kind_of_babble("", "divergence.Repeat") == "empty"
