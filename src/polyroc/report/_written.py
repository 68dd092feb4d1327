"""The file of a report, which shows itself in a notebook."""

import sys
from html import escape

if sys.platform == "win32":
    from pathlib import WindowsPath as SystemPath
else:
    from pathlib import PosixPath as SystemPath

_FRAME = (
    '<iframe title="polyroc report" sandbox="allow-scripts allow-downloads" '
    'style="width: 100%; height: 80vh; border: 1px solid #8888" srcdoc="{}"></iframe>'
)


class WrittenReport(SystemPath):
    """The path of a report. A notebook shows the page in a frame of its own.

    The frame is sandboxed: the page can run its scripts, and reach neither the notebook nor the
    network.
    """

    def _repr_html_(self) -> str | None:
        """The page in a frame, or nothing if the file is no longer there."""
        if not self.is_file():
            return None
        return _FRAME.format(escape(self.read_text(encoding="utf-8"), quote=True))
