# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the installed garak says of its probes, from its own list of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garak_tbsa.garak_api.installation import NO_GARAK
from garak_tbsa.garak_api.scoring import garak_folder, listed_plugins
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.evidence import InstalledPlugins, ProbeFacts
from garak_tbsa.unavailable import Unavailable

NO_LIST = Unavailable(reason="the installed garak does not list its plugins")
MOST_TAGS = 50


def installed_plugins() -> InstalledPlugins | Unavailable:
    """Return the probes and detectors of the installed garak."""
    folder = garak_folder()
    if folder is None:
        return NO_GARAK
    listed = listed_plugins(folder)
    kinds = [listed.get(category) for category in ("probes", "detectors")]
    is_list = all(isinstance(kind, dict) for kind in kinds)
    return _plugins(listed) if is_list else NO_LIST


def _plugins(listed: Mapping[str, Any]) -> InstalledPlugins:
    return InstalledPlugins(
        probes={
            name.removeprefix("probes."): _facts(entry)
            for name, entry in listed["probes"].items()
            if isinstance(entry, dict)
        },
        detectors=frozenset(
            name.removeprefix("detectors.") for name in listed["detectors"]
        ),
    )


def _facts(entry: Mapping[str, Any]) -> ProbeFacts:
    tags = entry.get("tags")
    return ProbeFacts(
        description=_text(entry.get("description")),
        goal=_text(entry.get("goal")),
        tags=tuple(
            text
            for tag in (tags if isinstance(tags, list) else [])[:MOST_TAGS]
            if (text := _text(tag))
        ),
    )


def _text(value: object) -> str | None:
    """A text on one line, None where there is none."""
    if not isinstance(value, str):
        return None
    return readable(shown(" ".join(value.split()))) or None
