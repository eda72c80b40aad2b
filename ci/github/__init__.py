# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of ``action.yml``, one function each, which returns the exit code.

``runner``  what GitHub's runner gives and reads: inputs, event, outputs, messages
``steps``   set up, score, keep the baseline, pass or fail
"""
