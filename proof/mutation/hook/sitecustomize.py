"""Read by every Python that a trial starts: such a process sees the mutant too."""

import os

if "POLYROC_MUTANT" in os.environ:
    from mutation.importing import install_for_this_process

    install_for_this_process()
