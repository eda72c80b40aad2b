# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One small wrong change at a time, by the operators of mutmut."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

NOT_RUN = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)
"""Changed, these alter what type checkers and readers see, not what runs."""
NOT_BEHAVIOUR = ("TYPE_CHECKING", "__all__")


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A file with one change.

    Attributes
    ----------
    path : str
        The file, below the repository, with forward slashes.
    line : int
        First line of the expression or statement that was changed.
    before, after : str
        The first line that differs, without its indentation; ``after`` is empty
        where the line is gone.
    source : str
        The whole changed file.
    """

    path: str
    line: int
    before: str
    after: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Mutants:
    """All the changes that can be made to one file.

    Attributes
    ----------
    possible : int
        How many there are.
    drawn : tuple of Mutant
        Those that were asked for, in the order of the file; a change that does not
        compile, or that makes a file that was drawn already, is left out.
    """

    possible: int
    drawn: tuple[Mutant, ...]


def mutants_of(
    path: Path, root: Path, *, most: int | None, rng: random.Random
) -> Mutants:
    """Draw mutants of a file, without putting back.

    Parameters
    ----------
    path : Path
        The file, below ``root``.
    root : Path
        The repository.
    most : int or None
        How many at most; None takes all.
    rng : random.Random
        Draws them.
    """
    text = (root / path).read_text(encoding="utf-8")
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    finder = _Finder()
    wrapper.visit(finder)
    possible = range(len(finder.found))
    chosen = sorted(rng.sample(possible, min(most or len(possible), len(possible))))
    made: dict[str, Mutant] = {}
    for index in chosen:
        line, node, changed = finder.found[index]
        source = cast("cst.Module", wrapper.module.deep_replace(node, changed)).code
        if source != text and source not in made and _compiles(source):
            before, after = _difference(text, source)
            made[source] = Mutant(
                path=path.as_posix(),
                line=line,
                before=before,
                after=after,
                source=source,
            )
    return Mutants(possible=len(possible), drawn=tuple(made.values()))


class _Finder(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, NOT_RUN) or _is_for_readers(node):
            return False
        for changed in _changes(node):
            place = self.get_metadata(PositionProvider, node, None)
            if place is not None:
                self.found.append((place.start.line, node, changed))
        return True


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            # of the three spellings of another string one is enough
            most = 1 if isinstance(node, cst.SimpleString) else None
            yield from islice(operator(node), most)


def _is_for_readers(node: cst.CSTNode) -> bool:
    """Whether a statement is for people and type checkers alone."""
    if isinstance(node, cst.If):
        return _is_named(node.test)
    if isinstance(node, cst.Assign):
        return _is_named(node.targets[0].target)
    if isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Expr):
        text = (cst.SimpleString, cst.ConcatenatedString)
        return isinstance(node.body[0].value, text)
    return False


def _is_named(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value in NOT_BEHAVIOUR


def _compiles(source: str) -> bool:
    try:
        compile(source, "<mutant>", "exec")
    except SyntaxError:
        return False
    return True


def _difference(text: str, source: str) -> tuple[str, str]:
    old, new = text.splitlines(), source.splitlines()
    for before, after in zip(old, new, strict=False):
        if before != after:
            return before.strip(), after.strip()
    return "".join(old[len(new) :][:1]).strip(), ""
