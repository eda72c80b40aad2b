# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Faults while something is written: kills, a full disk, no rights, inputs that hang.

``python -m tools.faults --seconds 60`` tries them on every command that writes and on
the hook of a real garak scan.
"""
