# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands are found in a page, and what is said of those that do not work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.accepted import refused, unknown_names
from tests.docs.blocks import page_of
from tests.docs.sandbox import Sandbox
from tests.docs.test_commands import failures_of
from tests.docs.transcripts import difference

PAGE = """\
Run `garak-tbsa explain REPORT
--hits N` first.

```console
$ garak-tbsa score \\
    a.jsonl -q
TBSA
...
$ echo $?
0
```

1. And then

   ```sh
   # a comment
   garak-tbsa status   # another

   cat x
   ```

```
garak-tbsa detectors rank
```

```yaml
- run: |
    garak-tbsa score \\
      scan.jsonl --sure 0.9
```

```text
garak-tbsa prints this and more
```
"""


def test_transcripts_commands_and_mentions_are_found_with_their_lines() -> None:
    page = page_of("a.md", PAGE)
    assert [(each.line, each.text, each.printed) for each in page.commands] == [
        (5, "garak-tbsa score a.jsonl -q", "TBSA\n..."),
        (9, "echo $?", "0"),
        (17, "garak-tbsa status   # another", None),
        (19, "cat x", None),
        (23, "garak-tbsa detectors rank", None),
    ]
    assert [(each.line, each.text) for each in page.mentions] == [
        (1, "garak-tbsa explain REPORT --hits N"),
        (28, "garak-tbsa score scan.jsonl --sure 0.9"),
    ]


@pytest.mark.parametrize(
    ("said", "is_said"),
    [
        ("one\ntwo\nthree", True),
        ("one  \ntwo\nthree\n", True),
        ("...\ntwo\n...", True),
        ("one\n...", True),
        ("...\nthree", True),
        ("one\n...\nthree", True),
        ("one\ntwo\n...\nthree", True),
        ("o...\nt...o\nthree", True),
        ("...\none\n...\nthree\n...", True),
        ("one\ntwo", False),
        ("two\n...", False),
        ("...\nthree\n...\ntwo\n...", False),
        ("one\n...\none\n...", False),
        ("one.\ntwo\nthree", False),
        ("", False),
    ],
)
def test_an_ellipsis_is_any_lines_or_any_part_of_one(said: str, is_said: bool) -> None:
    assert (difference(said, "one\ntwo\nthree\n") is None) is is_said


@pytest.mark.parametrize(
    ("held", "line", "why"),
    [
        (refused, "score x --sarif y.json", None),
        (refused, "score x", None),
        (refused, "scoer x", "'scoer' is not a command"),
        (refused, "score x --sraif", "unrecognized arguments: --sraif"),
        (refused, "score x --sure high", "found 'high'"),
        (refused, "compare x", "required: SECOND"),
        (unknown_names, "score REPORT --fail-under X", None),
        (unknown_names, "detectors rank FILE", None),
        (unknown_names, "label REPORT --sheet=FILE", None),
        (unknown_names, "detectors", None),
        (unknown_names, "score --fail-udner X", "no such option: --fail-udner"),
        (unknown_names, "detectors rnak", "'rnak' is not a command"),
        (unknown_names, "scoer", "'scoer' is not a command"),
    ],
)
def test_a_command_line_is_held_against_the_real_parsers(
    held: Callable[[list[str]], str | None], line: str, why: str | None
) -> None:
    """A typed one is parsed; of a mentioned one the names are looked up."""
    found = held(line.split())
    assert found is None if why is None else why in (found or "")


def test_what_no_longer_works_is_named_with_page_and_line(tmp_path: Path) -> None:
    page = page_of(
        "a.md",
        "```console\n$ garak-tbsa score before.report.jsonl -q\n...\n🟧 TBSA: 2.3\n"
        "$ garak-tbsa score before.report.jsonl -q\n🟧 TBSA: 2.4\n```\n"
        "```sh\ngarak-tbsa score no.jsonl\nfalse || garak-tbsa demo more\nrm x\n```\n",
    )
    failures = failures_of(page, Sandbox(tmp_path))
    assert [failure.partition(": ")[0] for failure in failures] == [
        "a.md:5",
        "a.md:9",
        "a.md:10",
        "a.md:11",
    ]
    assert "+🟧 TBSA: 2.3" in failures[0]
    assert "exit code 1" in failures[1]
    assert "'false' is neither of PROGRAMS nor in tests/docs/not_run" in failures[2]
    assert "'rm' is neither" in failures[3]
