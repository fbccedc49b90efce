"""`python -m npftrace`."""

import sys

from npftrace.cli import main

sys.exit(main())
