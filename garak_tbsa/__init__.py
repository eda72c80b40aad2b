# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA and detector metrics for garak, the LLM vulnerability scanner.

Import cost matters: ``garak_tbsa.host._register`` imports this package at every
interpreter start, so nothing is imported here.
"""

__version__ = "0.1.0"
