"""A progress bar on a terminal; nothing when standard error is a file or a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields a function that advances the bar by a number of steps."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=total)
        yield lambda count: bar.advance(task, count)
