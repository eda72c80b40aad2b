# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``reporting.tbsa`` in garak's configuration, and what a scan then writes.

Names and values are those of the product's own messages about wrong settings; defaults
and names of files are those of the page that users read.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.behaviour.product import REPOSITORY, tbsa

PAGE = REPOSITORY / "docs" / "reference" / "settings.md"
SECTION = "reporting.tbsa"
NO_SETTING, NO_VALUE = "zzzz", "[]"


def known_settings() -> list[str]:
    """Return the settings that the product lists when it is given one that is none."""
    said = _objection(f"{{{NO_SETTING}: 1}}")
    return said.partition("expected one of ")[2].split(", ")


def told_settings() -> dict[str, tuple[str, str]]:
    """Return what the page tells of each setting: its default and what it does."""
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]* \| ([^|]*) \| ([^|]*) \|",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return {name: (default.strip("`"), purpose) for name, default, purpose in rows}


def setting_entries() -> dict[str, str]:
    """Every setting with its values and its default, and every file after a scan."""
    told = told_settings()
    found = {f"setting {SECTION}": "settings, or true or false for enabled"}
    for name in known_settings():
        takes = _objection(f"{{{name}: {NO_VALUE}}}")
        takes = takes.partition("expected ")[2].rpartition(", found")[0]
        default, purpose = told[name]
        found[f"setting {SECTION}.{name}"] = f"{takes}; default {default}"
        for file in re.findall(r"`(<prefix>[^`]*)`", purpose):
            found[f"file after a scan: {file}"] = f"if {name}"
    return found


def _objection(section: str) -> str:
    """What the product says of wrong settings in the site's configuration."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "garak")
        folder.mkdir()
        text = f"reporting: {{tbsa: {section}}}\n"
        (folder / "garak.site.yaml").write_text(text, encoding="utf-8")
        with patch.dict(os.environ, XDG_CONFIG_HOME=home):
            shown = tbsa("status")
    found = re.search(rf"{re.escape(SECTION)}.*", shown.out + shown.err)
    assert found, shown
    return found[0]
