# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""sha256 by the interpreter itself.

``hashlib`` loads OpenSSL, which takes 3 ms of the 40 that a whole score takes, for
the three short texts that a score hashes. It is used where the interpreter's own
modules are missing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # CPython 3.12 and up
    except ImportError:
        try:
            from _sha256 import sha256  # CPython 3.10 and 3.11
        except ImportError:
            from hashlib import sha256


def hexadecimal(content: bytes) -> str:
    """Return the sha256 of bytes as 64 hex digits."""
    return sha256(content).hexdigest()
