# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``import garak_tbsa`` offers, each task as a function; the commands call them.

Nothing here prints, writes or ends the process. What fails raises a
:class:`~garak_tbsa.errors.GarakTbsaError`; its text is the line that the command
prints. Paths are a ``str`` or anything with ``__fspath__``; addresses and compressed
reports are read as the commands read them.

``arguments``  arguments of callers, checked; how reports are scored
``evidence``   what lies behind the pairs of a scan, worst pairs first
``score``      the score of a scan, its range, its gate, its hits; stage by stage too;
               ``_scored`` is the one place where a report is read, scored and judged
``compare``    two scans, and which is worse
``history``    many scans over time
``audit``      what labels of a few outputs say of a scan
``summary_place``  where the metrics summary is, and what a file of garak's takes
``metrics``    how well detectors find hits
"""
