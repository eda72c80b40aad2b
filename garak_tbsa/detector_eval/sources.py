# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``--data`` names -> the files behind it -> numbered raw records."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from garak_tbsa.detector_eval.published import RowForm
from garak_tbsa.detector_eval.rows import Record
from garak_tbsa.detector_eval.spreadsheet import SheetError, read_csv, restored
from garak_tbsa.errors import DatasetError, in_words
from garak_tbsa.errors import reason_of as os_reason
from garak_tbsa.report.attempts import is_report
from garak_tbsa.report.opening import ADDRESS

FORMS = (
    ".jsonl, .csv or .parquet, a folder of such files, or a garak report with --labels"
)
JSON = ".json"
"""What the files of some published sets end with."""

NumberedRecord = tuple[int, dict[str, Any]]
"""Line or row number (from 1) of what is to be a row, and column -> value."""

_LFS_POINTER = b"version https://git-lfs"
_JSON_LINES, _CSV, _PARQUET = ".jsonl", ".csv", ".parquet"


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledSource:
    """A file of rows.

    Attributes
    ----------
    path : str
    detectors : tuple of str
        Whose the rows are that do not say.
    is_report : bool
        Whether it is a garak report, whose outputs are labelled elsewhere.
    name : str
        What tells it from the other files: its name without the ending, and as many
        of its folders as they do not share.
    sha256 : str
        Of its bytes; empty until it has been read.
    """

    path: str
    detectors: tuple[str, ...] = ()
    is_report: bool = False
    name: str = ""
    sha256: str = ""

    @property
    def file_name(self) -> str:
        """Its name without folders."""
        return os.path.basename(self.path)

    def record(
        self, number: int, raw: dict[str, Any], folder: str | None = None
    ) -> Record:
        """What the file has of one response, at a line or row.

        Without a folder its rows name no files.
        """
        in_lines = self.is_report or ending_of(self.path) == _JSON_LINES
        return Record(
            raw=raw,
            where=f"{self.path}, {'line' if in_lines else 'row'} {number}",
            number=number,
            detector=self.detectors[0] if self.detectors else None,
            name=self.name,
            folder=folder,
        )


def find_sources(
    paths: Sequence[str],
    *,
    known: Callable[[str], bool],
    named: tuple[str, ...] = (),
    form: RowForm | None = None,
) -> list[LabelledSource]:
    """List the files behind ``--data``; folders give the files directly in them.

    A file that is named twice, or with its folder, is listed once.

    Parameters
    ----------
    known : callable
        Whether a name is a detector, so that ``dan.DAN.jsonl`` holds its rows.
    named : tuple of str
        The detectors that were asked for. A single one has the rows of a file that is
        named itself, rather than found in a folder, whatever that is called.
    form : RowForm, optional
        Of a preset: all files are rows for the detectors that were asked for,
        whatever their names, in folders below folders too.

    Raises
    ------
    DatasetError
        A path is of no form that is read, or a folder holds no labelled data.
    """
    is_published = form is not None and bool(form.name)
    reads_json = form is not None and form.json_files
    endings = (*_READERS.keys() - {JSON}, *[JSON] * reads_json)
    files: dict[str, tuple[str, bool]] = {}
    for path in paths:
        for file in _files_at(path, endings, below=is_published):
            files.setdefault(os.path.realpath(file), (file, file == path))
    names = _different_names([file for file, _ in files.values()])
    found = []
    for name, (file, is_itself) in zip(names, files.values(), strict=True):
        own = () if is_published or not known(stem_of(file)) else (stem_of(file),)
        is_of_garak = not is_published and _is_report(file)
        if not is_of_garak and (
            ADDRESS in file or (os.path.exists(file) and ending_of(file) not in endings)
        ):
            raise DatasetError(
                f"{file}: no labelled data by its name; expected {FORMS}"
            )
        found.append(
            LabelledSource(
                path=file,
                detectors=named if is_itself and len(named) == 1 else own or named,
                is_report=is_of_garak,
                name=name,
            )
        )
    return found


def _different_names(files: Sequence[str]) -> list[str]:
    """Their stems; with folders that they do not share, where stems are alike."""
    names = [stem_of(file) for file in files]
    if len(set(names)) == len(names):
        return names
    paths = [os.path.abspath(file) for file in files]
    shared = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [os.path.splitext(os.path.relpath(path, shared))[0] for path in paths]


def _files_at(path: str, endings: Collection[str], *, below: bool) -> list[str]:
    """The path itself, or the files of a folder."""
    if not os.path.isdir(path):
        return [path]
    files = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if below or folder == path
        if ending_of(name) in endings
    )
    if not files:
        expected = "files such as dan.DAN.jsonl"
        if below:
            expected = f"files that end with {' or '.join(sorted(endings))}"
        raise DatasetError(
            f"{path}: no labelled data in this folder; expected {expected}"
        )
    return files


def _is_report(path: str) -> bool:
    """Whether it is a garak report, which may be packed."""
    if ending_of(path) in (_CSV, _PARQUET) or ADDRESS in path:
        return False
    check_regular(path)
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False  # told when it is read as rows
    return is_report(path)


def stem_of(path: str) -> str:
    """File name without folders and the ending: ``dan.DAN``."""
    return os.path.splitext(os.path.basename(path))[0]


def ending_of(path: str) -> str:
    """What tells the form of a file: ``.csv``."""
    return os.path.splitext(path)[1].lower()


def read_records(path: str) -> Iterator[NumberedRecord]:
    """Yield each record of a file with its number.

    Raises
    ------
    DatasetError
        The file is missing, not text, or a line is not a JSON object.
    """
    return _READERS.get(ending_of(path), read_json_lines)(path)


def sha256_of(path: str) -> str:
    """sha256 of a file's bytes, in hex."""
    digest = hashlib.sha256()
    with _open_binary(path) as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_json_lines(path: str) -> Iterator[NumberedRecord]:
    """Yield each JSON object of a JSON Lines file; blank lines are skipped."""
    with _open_binary(path) as handle:
        for number, line in enumerate(handle, start=1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
                if line.startswith(_LFS_POINTER):
                    raise DatasetError(
                        f"{path}, line 1: a Git LFS pointer, not the file;"
                        " run `git lfs pull` to fetch it"
                    )
            if line.strip():
                value = _json(f"{path}, line {number}", line, "one JSON object a line")
                if not isinstance(value, dict):
                    raise DatasetError(
                        f"{path}, line {number}: JSON, but no object; expected one JSON"
                        " object a line"
                    )
                yield number, value


def _json(where: str, content: bytes, expected: str) -> Any:
    try:
        return json.loads(content)
    except UnicodeDecodeError:
        problem = "not UTF-8; save the file as UTF-8"
    except ValueError as error:
        problem = f"not JSON ({str(error).split(':')[0].lower()}); expected {expected}"
    except RecursionError:
        problem = f"nested too deeply; expected {expected}"
    raise DatasetError(f"{where}: {problem}")


def _read_json(path: str) -> Iterator[NumberedRecord]:
    """One object, or lists of objects by group."""
    expected = "one object, or lists of objects by group"
    with _open_binary(path) as handle:
        value = _json(path, handle.read(), expected)
    groups = list(value.values()) if isinstance(value, dict) else []
    objects = [value]
    if groups and all(isinstance(each, list) for each in groups):
        objects = list(chain.from_iterable(groups))
    if not all(isinstance(each, dict) for each in objects):
        raise DatasetError(f"{path}: JSON of another form; expected {expected}")
    yield from enumerate(objects, start=1)


def _read_csv(path: str) -> Iterator[NumberedRecord]:
    number = 1
    with _open_binary(path) as binary:
        is_wide = binary.peek(2).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "UTF-16" if is_wide else "UTF-8-sig"
        try:
            text = io.TextIOWrapper(binary, encoding=encoding, newline="")
            _, rows = read_csv(text)
            for number, row in rows:
                if isinstance(row, str):
                    raise DatasetError(f"{path}, row {number}: {row}")
                yield number, restored(row)
        except SheetError as error:
            raise DatasetError(f"{path}, row 1: {error}") from None
        except UnicodeError:
            raise DatasetError(
                f"{path}, after row {number}: not {encoding.removesuffix('-sig')}; save"
                " it as UTF-8"
            ) from None


def _read_parquet(path: str) -> Iterator[NumberedRecord]:
    # a score reads summaries with this room, and needs only numpy and msgspec
    from pyarrow.parquet import ParquetFile

    number = 0
    with _open_binary(path) as handle:
        try:
            for batch in ParquetFile(handle).iter_batches(1024):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
        except MemoryError:
            raise
        except Exception as error:  # a date of the year 200,000 is an OverflowError
            advice = "" if isinstance(error, OSError) else ", dates and times as text"
            raise DatasetError(
                f"{path}, after row {number}: not readable as Parquet"
                f" ({in_words(error)[:160]}); write it again{advice}"
            ) from None


_READERS = {
    _JSON_LINES: read_json_lines,
    _CSV: _read_csv,
    _PARQUET: _read_parquet,
    JSON: _read_json,
}


def check_regular(path: str) -> None:
    """Refuse what can be read only once, or never ends: rows are read and hashed.

    Raises
    ------
    DatasetError
        It is a pipe or a device.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise DatasetError(
            f"{path}: a pipe or device, and rows are read more than once; copy it into"
            " a file"
        )


def _open_binary(path: str) -> io.BufferedReader:
    check_regular(path)
    try:
        return open(path, "rb")
    except OSError as error:
        raise DatasetError(
            f"{path}: cannot be read ({os_reason(error)}); give an existing file or"
            " folder"
        ) from None
