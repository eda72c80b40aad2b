# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may ask of a scan, and whether the scan may pass.

``options``  one list of rules: each is an option, a setting, an argument in Python
``outcome``  what came of each rule, for which pairs
``against_baseline``  whether a scan is worse than another, and would be seen to be
``verdict``  a scored report held against the rules; not judged where only garak knows
"""
