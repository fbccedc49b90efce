"""`python -m baker_explorer`."""

from baker_explorer.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
