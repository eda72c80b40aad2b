# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page on garak's defects; ``make check`` holds it against the garak installed."""

from __future__ import annotations

import pytest

from tests.docs.garak_defects import (
    PAGE,
    Entry,
    broken,
    differences,
    setup_and_entries,
)

ENTRIES = setup_and_entries(PAGE.read_text("utf-8"))[1]
SMALL = """
# Page

*Shown by garak 0.16.0, 0.17.1.*

```python
>>> answer = 42
```

## Detectors

### Shown

```python
>>> answer
42
```

### Fixed meanwhile

*Shown by garak 0.17.1.*

```python
>>> answer + 1
42
```

## Fixed

### Long gone

*Fixed in garak 0.18.0.*
"""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_an_entry_says_for_which_garak_what_it_does_and_how_to_fix_it(
    entry: Entry,
) -> None:
    assert entry.releases
    assert entry.lines
    assert entry.is_fixed or ("**Effect:**" in entry.text and "**Fix:**" in entry.text)


def test_what_a_garak_does_otherwise_is_found() -> None:
    found = differences(SMALL)
    assert list(found) == ["Fixed meanwhile"]
    assert "Got:\n    43" in found["Fixed meanwhile"]
    assert broken(SMALL, "0.16.0") == []
    (said,) = broken(SMALL, "0.17.1")
    assert said.startswith(
        "garak 0.17.1 does not do what garak_defects.md says under 'F"
    )
    assert "Got:\n    43" in said


def test_lines_that_all_entries_need_must_run() -> None:
    with pytest.raises(RuntimeError, match="NameError"):
        differences("```python\n>>> nothing\n```\n## Detectors\n")


@pytest.mark.parametrize(
    ("garak", "titles"),
    [
        ("0.16.0", ["Shown"]),
        ("0.17.1", ["Shown", "Fixed meanwhile"]),
        ("0.18.0", ["Shown", "Fixed meanwhile", "Long gone"]),
        ("0.18.1.pre1", ["Shown", "Fixed meanwhile", "Long gone"]),
    ],
)
def test_an_entry_is_about_the_releases_that_it_names_and_later_ones(
    garak: str, titles: list[str]
) -> None:
    entries = setup_and_entries(SMALL)[1]
    assert [entry.title for entry in entries if entry.concerns(garak)] == titles
    assert [entry.is_fixed for entry in entries] == [False, False, True]
