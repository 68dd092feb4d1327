"""The line that a search shows while it runs."""

from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from polyroc.surface._evolution import Evolution


class ProgressLine:
    """Generation, size of the archive and G so far, on standard error of a terminal."""

    def __init__(self, generations: int, *, shown: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._active = bool(shown and (console.is_terminal or console.is_jupyter))
        self._bar = Progress(
            TextColumn("generation {task.completed:,.0f} of at most {task.total:,.0f}"),
            BarColumn(),
            TextColumn("{task.fields[archive]:,} on the front, G = {task.fields[share]:.4f}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("search", total=generations, archive=0, share=0.0)
        self._last = -1

    def show(self, evolution: "Evolution") -> None:
        """Bring the line up to date, every tenth generation."""
        generation = evolution.generation
        if self._active and generation // 10 != self._last:
            self._last = generation // 10
            share = evolution.share()
            size = evolution.archive.size
            self._bar.update(self._task, completed=generation, archive=size, share=share)

    def __enter__(self) -> Self:
        if self._active:  # a bar that is disabled may print an empty line
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._active:
            self._bar.stop()
