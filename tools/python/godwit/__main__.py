# SPDX-License-Identifier: MIT
"""python -m godwit COMMAND ...: the program that the wheel brings."""

import os
import pathlib
import sys

program = str(pathlib.Path(__file__).with_name("bin") / "godwit")
if not os.path.exists(program):
    sys.exit("this godwit was installed without its program: make wheel puts it inside")
os.execv(program, [program] + sys.argv[1:])
