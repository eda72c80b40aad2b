# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Structure-aware attacks on every reader, judged against an independent score.

``python -m tools.fuzz --seconds 60`` runs a campaign; a failing case is shrunk and
kept in ``tests/fuzz/cases``, where the tests replay it for ever.
"""
