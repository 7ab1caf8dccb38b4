"""The commands of the command line. `cli.py` imports the one that runs."""
