"""The least that a command like explain must do: import what it stands on, and read the files it is given.

It is run as a program by `benchmarks.explain`, and imports nothing of ours.
"""

import argparse  # noqa: F401
import sys

import attrs  # noqa: F401
import cattrs  # noqa: F401
import yaml


def main() -> None:
    """Reads each file that is named."""
    for name in sys.argv[1:]:
        with open(name, "rb") as stream:
            yaml.load(stream, Loader=yaml.CSafeLoader)


if __name__ == "__main__":
    main()
