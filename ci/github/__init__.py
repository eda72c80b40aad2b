# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of ``action.yml``, one module each with ``run() -> int``.

Standard library and this checkout's ``garak_tbsa`` alone. In their order:

``workflow``      what GitHub's runner reads: outputs, summaries, messages
``inputs``        what the user asked for, from the environment
``set_up``        step: what Python has, ``garak-tbsa`` as a command, the cache's key
``score``         step: score, gate, files, summary
``api``           comments of a pull request
``event``         which pull request and branch this is about
``comment``       step: one comment a job, updated
``baseline``      step: whether this scan is the next baseline
``gate``          step: the exit code
"""
