# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of score and of comparison, written once for all tests of forms."""

from __future__ import annotations

import pytest

from tests.outputs.written import Written, all_comparisons, all_scores


@pytest.fixture(scope="session")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Written]:
    """Scores: mixed, perfect, uncounted, hostile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("scores"))
        return all_scores(folder)


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Written]:
    """Comparisons: worse, better, unchanged, common, forced, untested, hostile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("comparisons"))
        return all_comparisons(folder)
