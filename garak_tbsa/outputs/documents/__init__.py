# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the JSON that we write is, as types: one file for each document.

``python -m tools.reference_pages`` makes the schemas and the page of JSON from them:
what a docstring says of a member is what both say of it. The ``schema_version`` of a
document rises with every change that a reader could trip over.

``values``      the numbers and texts that members are
``gate``        what came of a gate
``explanation`` what drives a score
``score``       one scored report, and several
``comparison``  two compared scans
``history``     one scan of many
"""
