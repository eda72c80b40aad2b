# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A style check of pages, messages and docstrings: proselint's rules and our own.

``passages``  a file -> its paragraphs, without code
``rules``     what is refused, and what to write instead
``findings``  paragraphs -> what is wrong with them, by line

``python -m tools.prose`` prints the findings, and fails where there are any.
"""
