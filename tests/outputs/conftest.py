# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every kind of score and of comparison, written once for all tests of forms."""

from __future__ import annotations

import pytest

from tests.outputs import written
from tests.outputs.written import Written


@pytest.fixture(scope="session")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Written]:
    """Every kind of score, and the history of these scans."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("scores"))
        found = {kind: written.score(folder, kind) for kind in written.SCORES}
        return {**found, "history": written.history(folder)}


@pytest.fixture(scope="session")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Written]:
    """Every kind of comparison."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder := tmp_path_factory.mktemp("comparisons"))
        return {kind: written.compare(folder, kind) for kind in written.COMPARISONS}
