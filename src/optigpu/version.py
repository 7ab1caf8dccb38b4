"""The version of OptiGPU, which packaging, certificates and the command line read from here."""

VERSION = "0.1.0"
