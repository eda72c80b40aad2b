# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What chance does to a scan: whether two scans differ more than it makes them.

``exchange``     what may change places between two scans
``permutation``  whether two scans differ more than chance makes them
"""
