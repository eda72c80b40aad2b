# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a garak report to its score; the modules in the order of the data's path.

``source`` bytes, ``fields`` typed getters, ``report`` rows to a Report,
``calibration``, ``pairs``, ``grades``, ``score``, ``checksum``, then what is
made of a score: ``interval``, ``explain``, ``compare``, ``history``, ``gate``.
"""
