"""A progress bar on a terminal, nothing where there is none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields a function that is told how many steps more are done."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
