"""What estimators take for examples, on its way to the library."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy import sparse

NONE_GIVEN = object()

# What is read where it is.
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
_COMPRESSED = (sparse.csr_matrix, sparse.csr_array)


def are_plain(X: Any, y: Any, features: int | None) -> bool:
    """Would `validate_data` return these as they are? It takes as long to find out as to learn from 500 short rows."""
    if type(X) is np.ndarray:
        lies_well = X.flags.c_contiguous
    else:
        lies_well = type(X) in _COMPRESSED and type(X.data) is np.ndarray
    if not lies_well or X.ndim != 2 or X.dtype not in _FLOATS:
        return False
    rows, width = X.shape
    if rows == 0 or width != features:
        return False
    return y is NONE_GIVEN or (type(y) is np.ndarray and y.shape == (rows,) and y.dtype.kind in "biu")


def is_table(X: Any) -> bool:
    """Is it a table whose columns are read by the Arrow interface? A data frame of pandas is an array for scikit-learn."""
    return hasattr(X, "__arrow_c_stream__") and not type(X).__module__.startswith("pandas")


def is_records(X: Any) -> bool:
    if isinstance(X, list) and X and isinstance(X[0], (list, tuple, np.ndarray)):
        return False  # rows of numbers
    return isinstance(X, (str, bytes, list)) or hasattr(X, "__fspath__") or hasattr(X, "__arrow_c_stream__")


def compressed(X: Any) -> tuple[Any, ...]:
    """The arrays of compressed sparse rows. SciPy keeps what somebody gives it, so they may be of any type and have gaps."""
    indptr, indices = X.indptr, X.indices
    if indptr.dtype != indices.dtype or indices.dtype not in _INTEGERS:
        indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    return (*map(np.ascontiguousarray, (indptr, indices, X.data)), X.shape[1])


def arrays(X: Any) -> Any:
    if sparse.issparse(X):
        X = X.tocsr()
        if X.dtype not in _FLOATS:
            X = X.astype(np.float64)
        return compressed(X)
    X = np.ascontiguousarray(X)
    return X if X.dtype in _FLOATS else X.astype(np.float64)


def to_inputs(data: Any) -> list[Any]:
    """What is read, as the library takes it."""
    if isinstance(data, list) and data and all(isinstance(item, dict) for item in data):
        lines = "\n".join(json.dumps(item, default=_jsonable) for item in data)
        return [("records.jsonl", lines.encode())]
    if isinstance(data, (list, tuple)):
        return [item for one in data for item in to_inputs(one)]
    if isinstance(data, (bytes, bytearray, memoryview)):
        return [("bytes", bytes(data))]
    return [data]


def _jsonable(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
