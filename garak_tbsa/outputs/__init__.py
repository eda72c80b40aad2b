# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a scored report looks like: text, JSON, Markdown, JUnit XML, SARIF, a page.

Every function here returns text; ``cli`` prints or writes it.
"""
