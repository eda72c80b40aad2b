# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tests.gold``: write the expected JSON of every gold report again.

Look at the difference before committing it: it is what users will see change.
"""

from __future__ import annotations

import json

import tests.conftest  # noqa: F401 - isolates garak's folders
from tests.gold import expected_json, gold_reports, scored


def main() -> None:
    """Write every expected file."""
    for report in gold_reports():
        document = scored(report)
        del document["said"]  # sentences have tests of their own
        text = json.dumps(document, ensure_ascii=False, indent=1)
        expected_json(report).write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
