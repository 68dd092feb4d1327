"""The line that a search shows while it runs."""

from typing import TYPE_CHECKING

from polyroc._base.progress import ProgressBar

if TYPE_CHECKING:
    from polyroc.surface._evolution import Evolution


class SearchProgress(ProgressBar):
    """Generation, size of the archive and G so far, on a terminal or in a notebook."""

    def __init__(self, generations: int, *, shown: bool) -> None:
        super().__init__("generations, at most", generations, shown=shown)
        self._last = -1

    def of(self, evolution: "Evolution") -> None:
        """Bring the line up to date, every tenth generation."""
        generation = evolution.generation
        if self.active and generation // 10 != self._last:
            self._last = generation // 10
            size, share = evolution.archive.size, evolution.share()
            self.to(generation, f"{size:,} on the front, G = {share:.4f}")
