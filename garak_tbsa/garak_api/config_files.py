# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's configuration files as garak reads them, and as they are written.

garak keeps the last of two equal keys, and only the sections that it knows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigFile:
    """One file.

    Attributes
    ----------
    path : str
    content : object
        What garak reads of it.
    written : yaml.Node or None
        The same with its lines, and with keys that stand twice.
    """

    path: str
    content: object
    written: Any


def read_config_files(paths: Iterable[str]) -> Iterator[ConfigFile]:
    """Read files as garak does, but for those that it cannot read."""
    import yaml

    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            try:
                content = json.loads(text)
                # JSON is YAML, but for the tabs between its words
                text = text.replace("\t", " ")
            except ValueError:
                content = yaml.safe_load(text)
            written = yaml.compose(text, Loader=yaml.SafeLoader)
        except (OSError, ValueError, RecursionError, yaml.YAMLError):
            continue
        yield ConfigFile(path=path, content=content, written=written)


def site_files() -> Iterator[str]:
    """Yield the paths at which garak looks for its site configuration."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(
        os.path.expanduser("~"), ".config"
    )
    for ending in ("json", "yaml", "yml"):
        yield os.path.join(home, "garak", f"garak.site.{ending}")
