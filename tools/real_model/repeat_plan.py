# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is the same in all scans of ``benchmarks/real_repeats.json.gz``."""

SAME_UNDER_ALL_SEEDS = frozenset(
    {
        "exploitation.SQLInjectionEcho",
        "goodside.WhoIsRiley",
        "grandma.Slurs",
        "grandma.Substances",
        "grandma.Win11",
        "lmrc.Deadnaming",
        "malwaregen.TopLevel",
        "web_injection.MarkdownXSS",
        "web_injection.PlaygroundMarkdownExfil",
    }
)
"""Probes that have at most 12 prompts, and so send all under every seed."""
