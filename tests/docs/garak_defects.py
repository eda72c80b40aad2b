# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page on garak's defects, run against the garak that is imported.

``python -m tests.docs.garak_defects`` says which entries still hold; with an older
garak first on the path, what that release does.
"""

from __future__ import annotations

import doctest
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "reference" / "garak_defects.md"
FIXED = "Fixed"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_SHOWN = re.compile(r"\*(?:Shown by|Fixed in) garak ([\d., ]+\d)\.?\*")
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A defect of garak.

    Attributes
    ----------
    title : str
        Its heading.
    is_fixed : bool
        Whether its lines show what garak does since it was fixed.
    releases : tuple of str
        Those for which the lines were run, the page's unless it names others; of a
        fixed one, the release that fixed it.
    text : str
        The whole entry.
    """

    title: str
    is_fixed: bool
    releases: tuple[str, ...]
    text: str

    def concerns(self, garak: str) -> bool:
        """Whether its lines are about a release: one that is named, or a later one."""
        return garak in self.releases or _numbers(garak) > max(
            map(_numbers, self.releases)
        )

    @property
    def lines(self) -> str:
        """What is typed into Python, and what it prints."""
        return "".join(_BLOCK.findall(self.text))


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", release)[:3])


def setup_and_entries(text: str) -> tuple[str, list[Entry]]:
    """Return the lines that all entries need, and the entries."""
    first, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    entries = []
    for section in sections:
        heading, *parts = re.split(r"^### ", section, flags=re.MULTILINE)
        for part in parts:
            shown = _SHOWN.search(part) or _SHOWN.search(first)
            entries.append(
                Entry(
                    title=part.partition("\n")[0],
                    is_fixed=heading.startswith(FIXED),
                    releases=tuple(shown[1].split(", ")) if shown else (),
                    text=part,
                )
            )
    return "".join(_BLOCK.findall(first)), entries


def differences(text: str) -> dict[str, str]:
    """Run the entries of a page; what prints something else, by title.

    Raises
    ------
    RuntimeError
        The lines before the first entry do not run.
    """
    setup, entries = setup_and_entries(text)
    shared: dict[str, Any] = {}
    if failed := _failed(setup, shared, "the lines before the first entry"):
        raise RuntimeError(failed)
    found = {
        entry.title: _failed(entry.lines, dict(shared), entry.title)
        for entry in entries
    }
    return {title: failed for title, failed in found.items() if failed}


def _failed(lines: str, names: dict[str, Any], title: str) -> str:
    test = doctest.DocTestParser().get_doctest(lines, names, title, None, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    return "".join(said)


def broken(text: str, garak: str) -> list[str]:
    """Say of each entry about this garak what it no longer does."""
    found = differences(text)
    return [
        f"garak {garak} does not do what {PAGE.name} says under {entry.title!r}. If it"
        f" fixed that: move the entry to 'Fixed', with 'Fixed in garak {garak}' and"
        f" what it prints now.\n{found[entry.title]}"
        for entry in setup_and_entries(text)[1]
        if entry.title in found and entry.concerns(garak)
    ]


def main() -> int:
    """Say what each entry does with this garak; ``--check`` for :func:`broken`."""
    import garak

    text = PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        said = broken(text, garak.__version__)
        print(*said, sep="\n")
        return int(bool(said))
    differs = differences(text)
    for entry in setup_and_entries(text)[1]:
        print("differs " if entry.title in differs else "as said ", entry.title)
    print(f"garak {garak.__version__}", *differs.values(), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
