"""`python -m infx_policy`."""

import gc
import sys

# What is made while modules and tables are loaded stays; looking through it for cycles is in vain.
# `cli.tables` turns collection on again once a policy is there.
gc.disable()

from infx_policy.cli.main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
