# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A machine that has numpy and msgspec, and no other package, not even ours."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def numpy_alone(folder: Path, *others: str) -> Path:
    """Return a new folder there with links to these, for ``PYTHONPATH``."""
    site = folder / "numpy-alone"
    site.mkdir()
    for name in ("numpy", "msgspec", *others):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        package = Path(spec.origin).parent
        for part in (package, package.with_name(f"{name}.libs")):
            if part.exists():
                (site / part.name).symlink_to(part, target_is_directory=True)
    return site
