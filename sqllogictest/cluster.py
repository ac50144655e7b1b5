"""A `dask.distributed` cluster as an executor: `sqllogictest run --executor dask --executor-option address=tcp://HOST:8786`.

Without an address a local cluster is started. The package is the extra `[cluster]`; workers need this package and the
engine's module installed.
"""

import importlib
from typing import Any

from sqllogictest.engines import EngineError


def connect(**arguments: Any) -> Any:
    """Return a `dask.distributed.Client` made with these arguments; the scheduler takes its `get_executor`.

    Raises EngineError with the extra's name when the package is missing.
    """
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise EngineError("dask.distributed is not installed; install the extra: pip install 'pyminisql[cluster]'") from error
    return distributed.Client(**arguments)
