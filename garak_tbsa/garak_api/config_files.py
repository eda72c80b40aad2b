# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's configuration files as they are written, with keys that stand twice.

garak keeps the last of two equal keys, and only the sections that it knows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A key of a mapping with its value.

    Attributes
    ----------
    key : str
    value : object
        A tuple of entries for a mapping, a list for a list, else what garak reads.
    line : int or None
        Where the key stands; None in JSON.
    """

    key: str
    value: object
    line: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigFile:
    """One file.

    Attributes
    ----------
    path : str
    content : object
        What garak reads of it.
    written : object
        The same, with mappings as tuples of :class:`Entry`.
    """

    path: str
    content: object
    written: object


def read_config_files(paths: Iterable[str]) -> Iterator[ConfigFile]:
    """Read files as garak does, but for those that it cannot read."""
    for path in paths:
        if (found := read_config_file(path)) is not None:
            yield found


def read_config_file(path: str) -> ConfigFile | None:
    """Read a file as garak does; None where that is not possible."""
    import yaml

    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            return ConfigFile(
                path=path,
                content=json.loads(text),
                written=json.loads(text, object_pairs_hook=_entries_of_pairs),
            )
        except ValueError:
            return ConfigFile(
                path=path,
                content=yaml.safe_load(text),
                written=_written(yaml.compose(text, Loader=yaml.SafeLoader)),
            )
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return None


def _entries_of_pairs(pairs: list[tuple[str, Any]]) -> tuple[Entry, ...]:
    return tuple(Entry(key=key, value=value) for key, value in pairs)


def _written(node: yaml.Node | None) -> object:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return tuple(
            Entry(
                key=str(key.value),
                value=_written(value),
                line=key.start_mark.line + 1,
            )
            for key, value in node.value
        )
    if isinstance(node, yaml.SequenceNode):
        return [_written(each) for each in node.value]
    if isinstance(node, yaml.ScalarNode):
        return yaml.SafeLoader("").construct_object(node)
    return None


def plain(written: object) -> object:
    """Return what is written with its mappings as ``dict``; the last of a key wins."""
    if isinstance(written, tuple):
        return {entry.key: plain(entry.value) for entry in written}
    if isinstance(written, list):
        return [plain(each) for each in written]
    return written


def site_files() -> Iterator[str]:
    """Yield the paths at which garak looks for its site configuration."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(
        os.path.expanduser("~"), ".config"
    )
    for ending in ("json", "yaml", "yml"):
        yield os.path.join(home, "garak", f"garak.site.{ending}")
