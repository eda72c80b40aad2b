# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The probes that are scanned are garak's."""

from __future__ import annotations

from collections import Counter

from tools.real_model.probes import GROUPS


def test_each_probe_is_one_of_garaks_and_comes_once() -> None:
    from garak._plugins import enumerate_plugins

    known = {name.removeprefix("probes.") for name, _ in enumerate_plugins("probes")}
    named = Counter(probe for group in GROUPS.values() for probe in group.probes)
    assert set(named) <= known
    assert set(named.values()) == {1}
