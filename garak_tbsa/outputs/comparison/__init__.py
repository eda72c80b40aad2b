# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form in which two compared scans are written.

A form is a module with a function ``render(compared: ComparedScans) -> str``; what
several of them say is in ``compared_scans``.
"""
