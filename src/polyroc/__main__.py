"""``python -m polyroc``: the command line, for the Python that runs it."""

from polyroc.cli import main

if __name__ == "__main__":
    main(prog_name="polyroc")
