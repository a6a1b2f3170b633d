"""`python -m erfd` is the `erfd` command."""

import sys

from .cli import main

sys.exit(main())
