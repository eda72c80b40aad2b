# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.real_model scan|repeats|draw|thin|page``."""

import sys

from tools.real_model.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
