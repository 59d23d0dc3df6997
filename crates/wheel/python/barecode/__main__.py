"""The command: `barecode` and `python -m barecode`."""

import sys

from barecode import _barecode


def main() -> None:
    """Runs the command with the arguments of this process, and exits with its code."""
    sys.exit(_barecode.main(["barecode", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
