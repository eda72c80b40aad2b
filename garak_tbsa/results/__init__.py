# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` hands out: results that know how to show themselves.

``result``      what every result can do, and what it shows itself with
``scored``      a scored report
``comparison``  two compared scans
``history``     many scans over time
``audited``     what labels of a few outputs say of a scan
``metrics``     detector metrics
"""
