#!python
# SPDX-License-Identifier: MIT
"""The command godwit of an installed wheel: becomes the program inside the package, without importing that."""

import importlib.util
import os
import sys

program = os.path.join(importlib.util.find_spec("godwit").submodule_search_locations[0], "bin", "godwit")
os.execv(program, [program] + sys.argv[1:])
