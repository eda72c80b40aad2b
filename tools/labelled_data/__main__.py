# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.labelled_data``."""

import sys

from tools.labelled_data.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
