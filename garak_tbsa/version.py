# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The version of this package; what knows nothing else of ours is below all."""

__version__ = "0.3.0.dev0"
