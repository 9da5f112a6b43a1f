# SPDX-License-Identifier: MIT
"""libgodwit through ctypes: where it is, and the declarations of godwit.h that this package uses."""

from __future__ import annotations

import ctypes
import os
import pathlib
import warnings
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import Any

SONAME = "libgodwit.so.1"


class Error(Exception):
    """A failure of libgodwit. `str(error)` is the library's message, `code` one of godwit.h's enum gw_error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class PredictorOptions(ctypes.Structure):
    """gw_predictor_options"""

    _fields_ = [
        ("size", c_size_t),
        ("attention", c_char_p),
        ("dtype", c_char_p),
        ("pad_to", c_int64),
        ("batch_tokens", c_int64),
        ("threads", c_int64),
        ("temperature", c_double),
    ]


class AskOptions(ctypes.Structure):
    """gw_ask_options"""

    _fields_ = [
        ("size", c_size_t),
        ("best", c_int64),
        ("max_length", c_int64),
        ("stride", c_int64),
        ("max_answer", c_int64),
    ]


class FoundSpan(ctypes.Structure):
    """gw_found_span"""

    _fields_ = [("begin", c_int64), ("end", c_int64), ("score", c_double), ("no_answer", c_double)]


class ScorerOptions(ctypes.Structure):
    """gw_scorer_options"""

    _fields_ = [
        ("size", c_size_t),
        ("window", c_int64),
        ("sites", c_char_p),
        ("contig_names", c_char_p),
        ("phases", c_int64),
    ]


class ScorerVariants(ctypes.Structure):
    """gw_scorer_variants"""

    _fields_ = [
        ("size", c_size_t),
        ("count", c_int64),
        ("contig", POINTER(c_char_p)),
        ("position", POINTER(c_int64)),
        ("ref", POINTER(c_char_p)),
        ("alt", POINTER(c_char_p)),
    ]


class ScorerResults(ctypes.Structure):
    """gw_scorer_results"""

    _fields_ = [
        ("size", c_size_t),
        ("status", POINTER(c_int32)),
        ("diff", POINTER(c_float)),
        ("logit", POINTER(c_float)),
        ("mean", POINTER(c_float)),
        ("pref", POINTER(c_float)),
        ("palt", POINTER(c_float)),
        ("top", POINTER(c_int32)),
        ("site", POINTER(c_int32)),
        ("profiles", POINTER(c_float)),
        ("llr", POINTER(c_float)),
        ("sd", POINTER(c_float)),
    ]


def made(structure: type, **fields: Any) -> Any:
    """A struct with its size and these fields set."""
    return structure(size=ctypes.sizeof(structure), **fields)


def _load() -> ctypes.CDLL:
    """The library that GODWIT_LIBRARY names, the one in the wheel, or the system's."""
    beside = pathlib.Path(__file__).with_name(SONAME)
    path = os.environ.get("GODWIT_LIBRARY") or (str(beside) if beside.exists() else SONAME)
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{error}: libgodwit needs HTSlib, oneDNN, jansson, utf8proc, PCRE2 and libgomp") from error


_lib = _load()


def _check(status: int, _function: Any, _arguments: Any) -> None:
    if status != 0:
        raise Error(status, _lib.gw_message().decode(errors="replace"))


def _declare(name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library; one whose result is "status" raises Error where that is not 0."""
    function = getattr(_lib, name)
    function.argtypes = arguments
    function.restype = c_int if result == "status" else result
    if result == "status":
        function.errcheck = _check
    return function


_declare("gw_message", c_char_p)
version = _declare("gw_version", c_char_p)
predictor_open = _declare("gw_predictor_open", "status", c_char_p, POINTER(PredictorOptions), POINTER(c_void_p))
predictor_close = _declare("gw_predictor_close", None, c_void_p)
sizes = {
    name: _declare("gw_predictor_" + name, c_int64, c_void_p)
    for name in ("vocabulary", "width", "layers", "positions", "window", "labels")
}
predictor_label = _declare("gw_predictor_label", c_char_p, c_void_p, c_int64)
predictor_token = _declare("gw_predictor_token", c_char_p, c_void_p, c_int32)
predictor_tokenize = _declare(
    "gw_predictor_tokenize", "status", c_void_p, c_char_p, c_int64, POINTER(POINTER(c_int32)), POINTER(c_int64)
)
_inputs = (POINTER(c_char_p), POINTER(c_int64), c_int64)
predictor_predict = _declare(
    "gw_predictor_predict", "status", c_void_p, *_inputs, c_int, POINTER(c_float), POINTER(c_float)
)
predictor_embed_width = _declare("gw_predictor_embed_width", c_int64, c_void_p, c_int)
predictor_embed = _declare("gw_predictor_embed", "status", c_void_p, *_inputs, c_int, c_int64, POINTER(c_float))
predictor_hidden = _declare("gw_predictor_hidden", "status", c_void_p, POINTER(c_int32), c_int64, POINTER(c_float))
predictor_predict_masked = _declare(
    "gw_predictor_predict_masked",
    "status",
    c_void_p,
    POINTER(c_int32),
    c_int64,
    POINTER(c_int64),
    c_int64,
    POINTER(c_float),
    POINTER(c_float),
)
predictor_ask = _declare(
    "gw_predictor_ask",
    "status",
    c_void_p,
    c_char_p,
    c_char_p,
    c_int64,
    POINTER(AskOptions),
    POINTER(FoundSpan),
    POINTER(c_int64),
)
scorer_open = _declare(
    "gw_scorer_open", "status", c_void_p, c_char_p, POINTER(ScorerOptions), POINTER(c_void_p)
)
scorer_close = _declare("gw_scorer_close", None, c_void_p)
scorer_window = _declare("gw_scorer_window", c_int64, c_void_p)
scorer_column = _declare("gw_scorer_column", c_char_p, c_void_p, c_int32)
scorer_run = _declare("gw_scorer_run", "status", c_void_p, POINTER(ScorerVariants), POINTER(ScorerResults))
scorer_status = _declare("gw_scorer_status", c_char_p, c_int32)
scorer_site = _declare("gw_scorer_site", c_char_p, c_void_p, c_int32)

# The library's warnings become Python's.
_HOOK = ctypes.CFUNCTYPE(None, c_char_p)


def _warn(message: bytes) -> None:
    warnings.warn(message.decode(errors="replace"), RuntimeWarning, stacklevel=3)


_hook = _HOOK(_warn)  # kept: the library calls it
_declare("gw_set_warning", None, _HOOK)(_hook)
