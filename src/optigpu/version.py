"""The version of OptiGPU. It stands here alone: packaging, certificates and the command line read it from here."""

from __future__ import annotations

VERSION = "0.1.0"
