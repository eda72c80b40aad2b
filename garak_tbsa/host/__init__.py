# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Our life inside garak: found at interpreter start, asked after each scan.

``_register`` runs at every interpreter start, so nothing is imported here.
"""
