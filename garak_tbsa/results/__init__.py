# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results of detector metrics, which show and convert themselves.

``metrics``     detector metrics
"""
