# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's own TBSA module, which ours hides where it is installed."""

from __future__ import annotations

import importlib.util
import json
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any


def garak_folder() -> Path:
    """Return the folder of the garak that is imported."""
    import garak

    return Path(garak.__file__).parent


@lru_cache(maxsize=1)
def own_module() -> ModuleType:
    """Return garak's own ``garak/analyze/tbsa.py``, loaded by its path."""
    path = garak_folder() / "analyze" / "tbsa.py"
    spec = importlib.util.spec_from_file_location("garaks_own_tbsa", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_result(report: str | Path) -> tuple[float, str, int] | None:
    """Return what garak's own module makes of a report, None where it stops."""
    digest: dict[str, Any] | None = None
    try:
        for line in Path(report).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["entry_type"] == "digest":
                digest = row
                break
        if digest is None:
            return None
        result: tuple[float, str, int] = own_module().digest_to_tbsa(digest, quiet=True)
    except Exception:
        # whatever it stops with, the user sees no number
        return None
    return result
