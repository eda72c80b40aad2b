# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel of what is installed here, for jobs without an index."""

from __future__ import annotations

import re
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from tests.values import known


def msgspec_wheel(folder: Path) -> Path:
    """Pack the installed msgspec as the wheel that it came from."""
    installed = distribution("msgspec")
    tag = known(re.search("^Tag: (.+)$", known(installed.read_text("WHEEL")), re.M))
    path = folder / f"msgspec-{installed.version}-{tag[1]}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in known(installed.files):
            # not what pip added
            if file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
                wheel.write(str(file.locate()), file.as_posix())
    return path
