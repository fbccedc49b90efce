"""Where steps run: the cores of this computer, or a Dask cluster."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Protocol

from npftrace.errors import InputError
from npftrace.sweep import step as step_module
from npftrace.sweep.step import Result, Step, run_step
from npftrace.sweep.store import Store

CONNECT_SECONDS = 5


class Pool(Protocol):
    """Runs steps; their results are ready in any order."""

    def submit(self, step: Step, store: Store) -> Future[Result]: ...

    def __enter__(self) -> Pool: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class LocalPool:
    """One thread per core; each runs one tool at a time."""

    def __init__(self, workers: int | None = None) -> None:
        self._executor = ThreadPoolExecutor(workers or os.cpu_count() or 1)

    def submit(self, step: Step, store: Store) -> Future[Result]:
        files = [store.path(digest) for _, digest in step.inputs]
        return self._executor.submit(run_step, step, *files)

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)


class DaskPool:
    """The workers of a Dask scheduler.

    Each file is a task of its own. It is sent to the scheduler once, and from
    there to the workers that need it. When a worker is lost, its files and its
    unfinished steps go to other workers. Workers need Python, `distributed`, and
    the shared libraries of the simulator.
    """

    def __init__(self, address: str) -> None:
        # Slow to load, so only loaded here.
        import cloudpickle
        import distributed

        cloudpickle.register_pickle_by_value(step_module)
        try:
            connect: Any = distributed.Client
            self._client = connect(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            message = f"no Dask scheduler answers at {address}: {error}"
            raise InputError("E-traces-173", message) from error
        self._executor = self._client.get_executor()
        self._files: dict[str, Any] = {}

    def submit(self, step: Step, store: Store) -> Future[Result]:
        files = [self._file(digest, store) for _, digest in step.inputs]
        future: Future[Result] = self._executor.submit(
            run_step, step, *files, key=f"{step.tool}-{step.key}"
        )
        return future

    def _file(self, digest: str, store: Store) -> Any:
        if digest not in self._files:
            self._files[digest] = self._client.submit(
                bytes, store.read(digest), key=f"file-{digest}"
            )
        return self._files[digest]

    def __enter__(self) -> DaskPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.clear()
        self._executor.shutdown(wait=False)
        self._client.close()
