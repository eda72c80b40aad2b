# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Results of labels and of detector metrics, which show and convert themselves.

``audited``     what labels of a few outputs say of a scan
``metrics``     detector metrics
"""
