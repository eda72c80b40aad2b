# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every failure that a user can meet, each with its exit code.

The text of an error is one line that says the file, the line where there is
one, what was expected and what to do.
"""

from __future__ import annotations

from garak_tbsa.safe_text import SHOWN_ERROR, shown

EXIT_DONE = 0
EXIT_COULD_NOT = 1
EXIT_USAGE = 2
EXIT_GATE_FAILED = 3


def in_words(error: BaseException) -> str:
    """Return what happened; an error that is none of ours is named by its type."""
    if isinstance(error, GarakTbsaError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def reason_of(error: OSError) -> str:
    """Return why the system refused, as part of a sentence."""
    return (error.strerror or type(error).__name__).lower()


class GarakTbsaError(Exception):
    """Base of all errors that end a command with one line on stderr.

    Parameters
    ----------
    message : str
        Cut to :data:`~garak_tbsa.safe_text.SHOWN_ERROR` characters: it may quote a
        report.

    Attributes
    ----------
    exit_code : int
        What the process exits with: 1 could not, 2 usage, 3 a gate failed.
    """

    exit_code = EXIT_COULD_NOT

    def __init__(self, message: str) -> None:
        super().__init__(shown(message, SHOWN_ERROR))


class ReportError(GarakTbsaError):
    """A report that cannot be read or is not what garak writes.

    Parameters
    ----------
    source : str
        The report's path as the user gave it.
    problem : str
        What is wrong, and what was expected.
    advice : str
        What the user can do.
    line : int, optional
        1-based number of the line at fault.
    """

    def __init__(
        self, source: str, problem: str, advice: str, *, line: int | None = None
    ) -> None:
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {problem}; {advice}")
        self.source = source
        self.problem = problem
        self.advice = advice
        self.line = line


class ReportMissingError(ReportError):
    """A report that is not there, where a place could be asked and said so."""


class NotScorableError(GarakTbsaError):
    """A readable report that holds no pair that TBSA can be made of."""


class NotComparableError(GarakTbsaError):
    """Two reports whose checksums differ."""


class DatasetError(GarakTbsaError):
    """Labelled rows that cannot be read or contradict themselves."""


class WordListMissingError(DatasetError):
    """A slot that names a word list which the installed garak does not have."""


class MetricsRefusedError(GarakTbsaError):
    """Detector metrics that must not take the place of those that garak has."""


class OutputError(GarakTbsaError):
    """An output file that cannot be written; the old file is kept."""


class GarakMissingError(GarakTbsaError):
    """Something that only an installed garak can answer, and none is there."""


class WorkersError(GarakTbsaError):
    """Workers that died, or a cluster that cannot be used."""


class UsageError(GarakTbsaError):
    """A command line that asks for something that does not exist."""

    exit_code = EXIT_USAGE


class GateFailedError(GarakTbsaError):
    """A gate that the user set, and the result does not pass."""

    exit_code = EXIT_GATE_FAILED
