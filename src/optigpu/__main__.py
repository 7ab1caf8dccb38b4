import sys

from optigpu.cli import main

sys.exit(main())
