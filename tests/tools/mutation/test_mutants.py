# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which changes are made to a file, and which never."""

from __future__ import annotations

import random
from pathlib import Path

from tools.mutation.mutants import Mutants, mutants_of

SOURCE = '''"""A docstring is for readers."""
from __future__ import annotations
__all__ = ["half"]
TYPE_CHECKING = False
if TYPE_CHECKING:
    ONE = 1

def half(of: int | None = None) -> int:
    """Another."""
    return of // 2 if of >= 0 else -1
'''


def drawn(folder: Path, most: int | None = None, seed: int = 1) -> Mutants:
    (folder / "code.py").write_text(SOURCE)
    return mutants_of(Path("code.py"), folder, most=most, rng=random.Random(seed))


def test_every_change_of_what_runs_and_none_of_what_is_read(tmp_path: Path) -> None:
    found = drawn(tmp_path)
    assert found.possible == len(found.drawn)
    assert {mutant.before for mutant in found.drawn} == {
        "return of // 2 if of >= 0 else -1"
    }
    changes = {mutant.after for mutant in found.drawn}
    assert "return of / 2 if of >= 0 else -1" in changes
    assert "return of // 3 if of >= 0 else -1" in changes
    assert "return of // 2 if of > 0 else -1" in changes
    assert {mutant.line for mutant in found.drawn} == {10}
    assert all(mutant.source != SOURCE for mutant in found.drawn)


def test_a_sample_is_a_part_of_all_and_the_same_for_a_seed(tmp_path: Path) -> None:
    everything = {mutant.source for mutant in drawn(tmp_path).drawn}
    sample = drawn(tmp_path, most=3)
    assert sample.possible == len(everything)
    assert len(sample.drawn) == 3
    assert {mutant.source for mutant in sample.drawn} < everything
    assert sample == drawn(tmp_path, most=3)
