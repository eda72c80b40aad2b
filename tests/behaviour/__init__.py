# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The net: what users rely on, seen from outside alone.

Commands, served modules, ``import garak_tbsa``, files and scans; nothing of the inside.
A redesign of the inside changes nothing here. An expected value changes only in a
commit that changes nothing else and names the sentence of the issue that asks for it.
"""
