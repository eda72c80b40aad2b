# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report kept to hold later scans against: whole, compressed, with a row of ours.

Its first row says what was kept and when. garak's reader, and ours, pass over a row
whose type they do not know, so that the file is a report like any other.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import parse_json
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.settings import first_text
from garak_tbsa.garak_files.source import open_source

KIND = "garak-tbsa baseline"
ROW_START = b'{"entry_type": "garak-tbsa baseline"'
GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptBaseline:
    """What the first row of a kept report says.

    Attributes
    ----------
    kept : str or None
        When, in UTC, ISO 8601.
    source : str or None
        The report's path as it was given.
    target, start_time, garak_version : str or None
        Of the scan.
    tbsa : float or None
        1.0-5.0, as it was scored then.
    checksum : str or None
        As it is shown, then.
    """

    kept: str | None
    source: str | None
    target: str | None
    start_time: str | None
    garak_version: str | None
    tbsa: float | None
    checksum: str | None


def read_kept(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> KeptBaseline | None:
    """Return what the first row of a file says, None where it is no row of ours.

    Raises
    ------
    ReportError
        It cannot be read.
    """
    with open_source(name, limits) as source:
        _, line = next(source.lines(), (0, b""))
    if not line.startswith(ROW_START):
        return None
    try:
        row = parse_json(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise ReportError(
            name,
            "its first row is no JSON, expected what garak-tbsa baseline save writes",
            "keep the report again",
            line=1,
        )
    tbsa = row.get("tbsa")
    if not isinstance(tbsa, (int, float)) or not 1 <= tbsa <= 5:
        tbsa = None
    texts = {
        field: first_text(row.get(field))
        for field in ("kept", "source", "target", "start_time", "garak_version")
    }
    return KeptBaseline(
        **texts,
        tbsa=None if tbsa is None else float(tbsa),
        checksum=first_text(row.get("checksum")),
    )


def kept_bytes(
    name: str, kept: KeptBaseline, limits: ReadLimits = DEFAULT_LIMITS
) -> Iterator[bytes]:
    """Yield the gzip file of a report and its first row, in little memory.

    The same report and row give the same bytes. A row of an earlier keeping is left
    out.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    # without a file's name and time, so that equal contents are equal files
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    row = json.dumps(
        {"entry_type": KIND, **asdict(kept)}, ensure_ascii=True, allow_nan=False
    )
    yield packer.compress(f"{row}\n".encode("ascii"))
    with open_source(name, limits) as source:
        for number, line in source.lines():
            if number == 1 and line.startswith(ROW_START):
                continue
            yield packer.compress(line if line.endswith(b"\n") else line + b"\n")
    yield packer.flush()
