"""The commands of the command line, except `bench` and `doctor`, which need only the runtime (`cli.py`)."""
