"""The version of OptiGPU, which packaging, certificates and the command line read from here, and the time when it was loaded."""

from __future__ import annotations

import time

VERSION = "0.1.0"
LOADED_AT = time.time_ns()  # no other module of the package is loaded before this one
