# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A machine that has numpy, and no other package: neither garak nor ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def numpy_alone(folder: Path) -> Path:
    """Return a new folder there with links to numpy, for ``PYTHONPATH``."""
    site = folder / "numpy-alone"
    site.mkdir()
    installed = Path(np.__file__).parent
    for part in (installed, installed.with_name("numpy.libs")):
        if part.exists():
            (site / part.name).symlink_to(part, target_is_directory=True)
    return site
