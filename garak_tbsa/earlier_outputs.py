# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What an output may take the place of: nothing, or an earlier output of its form.

Reports, labels, filled sheets and people's own pages have the same endings as what we
write, so a name tells nothing. Every form of ours has a mark, of 0.2 as well: a file is
known by its first and its last few KiB, without reading it whole.
"""

from __future__ import annotations

import os
import re

from garak_tbsa.errors import UsageError, reason_of
from garak_tbsa.files import is_stream

HEAD, TAIL = 8 << 10, 4 << 10
"""Bytes that are read of a file; of a smaller one all."""

SHOWN = 40
"""Bytes of a file that is not ours, which an error quotes."""


_NOTE = rb"TBSA sums a scan up; it does not replace reading the report\."
_PAGE = rb'<!doctype html>\n<html .*<meta name="generator" content="garak-tbsa '

FORMS = {
    "json": (
        "JSON output",
        rb'\{\n "(tbsa|schema_version)": .*"(note": "' + _NOTE + rb'"|reports": \[\])',
    ),
    "html": ("page", _PAGE),
    "markdown": (
        "Markdown output",
        rb"## (.*\n_" + _NOTE + rb"_\s*\Z|No TBSA\n\nThe scan was not scored: )",
    ),
    "junit": ("JUnit output", rb'<\?xml [^\n]*>\n<testsuites name="garak-tbsa">'),
    "sarif": ("SARIF output", rb'\{\n "\$schema": .{,300}"name": "garak-tbsa",'),
    "jsonl": ("history", rb'\{"source": "[^\n]*"change_missing_because": '),
    "ranking": ("ranking", rb'\{\n  "ranking": \[.*"(place|metrics_rows)": '),
    "summary": ("summary", rb'\{\n  "results": \{.*\n    "format_version": \d+,\n'),
    "rows": (
        "file of saved rows",
        rb'\{".*"where": "[^\n]*", "score": [^\n]*, "predicted": "[^\n]*\}\s*\Z',
    ),
}
"""What an error calls an output, and the pattern that its head and tail match together,
and those of no other file; by the setting or, where there is none, by what is written.
"""


def require_replaceable(option: str, path: str, form: str) -> None:
    """Refuse an output that would take the place of anything but an earlier one.

    Parameters
    ----------
    option : str
        What asks for the output: ``--html``.
    path : str
        Links are followed; streams, devices and pipes replace nothing.
    form : str
        A name in :data:`FORMS`.

    Raises
    ------
    UsageError
        Names the option, the path, and what is there.
    """
    if is_stream(path):
        return
    if os.path.isdir(path):
        raise UsageError(f"{option} {path}: a folder; name a file in it")
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            file.seek(max(HEAD, os.fstat(file.fileno()).st_size - TAIL))
            sample = head + file.read()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise UsageError(
            f"{option} {path}: a file is there that cannot be read"
            f" ({reason_of(error)}), so it may be anything; give another path"
        ) from None
    noun, mark = FORMS[form]
    if sample and not re.match(mark, sample.replace(b"\r\n", b"\n"), re.DOTALL):
        start = sample[:SHOWN].decode("utf-8", "replace")
        raise UsageError(
            f"{option} {path}: would replace a file that is no earlier {noun}"
            f" of garak-tbsa (it begins with {start!r}); give another path, or move"
            " that file away"
        )
