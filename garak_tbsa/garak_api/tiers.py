# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's probes by tier, asked from garak itself."""

from __future__ import annotations


def probes_by_tier() -> dict[int, list[str]]:
    """Return ``module.Class`` names by garak's ``Tier``, each tier present."""
    from garak._plugins import enumerate_plugins, plugin_info
    from garak.probes import Tier

    tiers: dict[int, list[str]] = {tier: [] for tier in Tier}
    for plugin, _ in enumerate_plugins("probes"):
        tiers[Tier(plugin_info(plugin)["tier"])].append(plugin.split(".", 1)[1])
    return tiers
