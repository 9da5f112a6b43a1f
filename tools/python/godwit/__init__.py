# SPDX-License-Identifier: MIT
"""godwit's models from Python: NumPy arrays over libgodwit.

    import godwit

    with godwit.Model("model") as model:
        vectors = model.embed(["ACGTTGCA", "ACGTNACCA"], pool="mean")

The numbers are those of the program's commands. Results do not depend on what else is in a call, nor on the number of
threads. A model and its scorers may be shared between Python threads, whose calls then take turns.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Set, Tuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _library as _c
from ._library import Error

__all__ = ["Answer", "Error", "Model", "Scorer", "__version__"]
__version__: str = _c.version().decode()

Text = Union[str, bytes]
Floats = npt.NDArray[np.float32]
_Self = TypeVar("_Self", bound="_Handle")

_STRANDS: Mapping[Optional[str], int] = {None: 0, "given": 1, "both": 2}
_POOLS: Mapping[Optional[str], int] = {None: 4, "cls": 0, "mean": 1, "max": 2, "sentence": 3}


def _bytes(text: Text) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def _path(path: Union[str, "os.PathLike[str]", None]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


def _pointer(array: Optional[np.ndarray], kind: type) -> object:
    return None if array is None else array.ctypes.data_as(ctypes.POINTER(kind))


def _choice(value: Optional[str], choices: Mapping[Optional[str], int], what: str) -> int:
    if value not in choices:
        raise ValueError(f"{what} is {value!r}, not one of {', '.join(repr(name) for name in choices)}")
    return choices[value]


class _Texts:
    """Texts as C sees them."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self.bytes = [_bytes(text) for text in texts]
        self.count = len(self.bytes)
        self.pointers = (ctypes.c_char_p * self.count)(*self.bytes)
        self.lengths = (ctypes.c_int64 * self.count)(*map(len, self.bytes))

    def inputs(self) -> Tuple[object, object, int]:
        """bases, lengths and count of a call; a pointer to none is not NULL."""
        return self.pointers, self.lengths, self.count


def _inputs(sequences: Union[Text, Iterable[Text]]) -> _Texts:
    return _Texts([sequences] if isinstance(sequences, (str, bytes)) else sequences)


class _Handle:
    """A handle of the library that close(), the end of `with` and the object's own end free."""

    _handle: ctypes.c_void_p

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


class Answer(NamedTuple):
    """A span of a text that answers a question."""

    text: str
    begin: int
    """Its first character, from 0."""
    end: int
    """The character behind its last."""
    score: float
    """The sum of the logits of its ends."""
    no_answer: float
    """How much more the model is for no answer than for the best span."""


class Model(_Handle):
    """A model folder made ready to run.

    folder: config.json, a tokenizer and weights, as transformers and godwit write them; or the name of an installed
        model, such as "yeast", which the package brings; GODWIT_MODELS names folders with others.
    attention: "seeded", "hf-eval", "google", "set", "start" or "full"; None: as the model was trained.
    dtype: "f32", or "bf16" where the processor has it.
    pad_to: sparse attention as of inputs padded to so many tokens; 0: each input's own length.
    batch_tokens: tokens computed at a time, which sets the memory; 0: 8192, or the longest input.
    threads: to compute with; 0: one for each CPU this process may use.
    temperature: that the logits of labels are divided by; 0: the one that `godwit finetune` has fitted; 1: none.
    """

    def __init__(
        self,
        folder: Union[str, "os.PathLike[str]"],
        *,
        attention: Optional[str] = None,
        dtype: Optional[str] = None,
        pad_to: int = 0,
        batch_tokens: int = 0,
        threads: int = 0,
        temperature: float = 0,
    ) -> None:
        self._handle = ctypes.c_void_p()
        self._lock = threading.RLock()
        # Handles that are open: whichever is freed first, model or scorer, closes them.
        self._scorers: Set[Optional[int]] = set()
        options = _c.made(
            _c.PredictorOptions,
            attention=None if attention is None else attention.encode(),
            dtype=None if dtype is None else dtype.encode(),
            pad_to=pad_to,
            batch_tokens=batch_tokens,
            threads=threads,
            temperature=temperature,
        )
        _c.predictor_open(_path(folder), options, self._handle)
        sizes = {name: size(self._handle) for name, size in _c.sizes.items()}
        self.width: int = sizes["width"]
        """Floats of a hidden state."""
        self.layers: int = sizes["layers"]
        self.positions: int = sizes["positions"]
        """Most tokens of an input, [CLS] and [SEP] included."""
        self.window: int = sizes["window"]
        """bp of the windows that a fine-tuned model was trained on; 0: unknown."""
        self.vocabulary: List[str] = [
            _c.predictor_token(self._handle, token).decode() for token in range(sizes["vocabulary"])
        ]
        """Text of each token."""
        self.labels: List[str] = [_c.predictor_label(self._handle, i).decode() for i in range(sizes["labels"])]
        """What a fine-tuned model predicts; empty for a pretrained one."""

    def close(self) -> None:
        """Frees the model and its scorers; calls after it are errors."""
        with self._lock:
            while self._scorers:
                _c.scorer_close(self._scorers.pop())
            handle, self._handle = self._handle, ctypes.c_void_p()
            _c.predictor_close(handle)

    def tokenize(self, sequence: Text) -> npt.NDArray[np.int32]:
        """Tokens of a sequence between [CLS] and [SEP]: [tokens]."""
        text, tokens, count = _bytes(sequence), ctypes.POINTER(ctypes.c_int32)(), ctypes.c_int64()
        with self._lock:
            _c.predictor_tokenize(self._handle, text, len(text), tokens, count)
            return np.ctypeslib.as_array(tokens, shape=(count.value,)).copy()

    def predict(
        self, sequences: Union[Text, Iterable[Text]], *, strands: Optional[str] = None, logits: bool = False
    ) -> Floats:
        """Probabilities of a fine-tuned model's labels, or their logits: [sequences][labels].

        strands: "given"; "both", the mean over a sequence and its reverse complement; None: as `godwit predict`, both
        for profiles and the one given for everything else.
        """
        texts = _inputs(sequences)
        out = np.empty((texts.count, len(self.labels)), np.float32)
        values = _pointer(out, ctypes.c_float)
        wanted = (None, values) if logits else (values, None)
        with self._lock:
            _c.predictor_predict(self._handle, *texts.inputs(), _choice(strands, _STRANDS, "strands"), *wanted)
        return out

    def embed(
        self, sequences: Union[Text, Iterable[Text]], *, pool: Optional[str] = None, layer: int = -1
    ) -> Floats:
        """A vector for each sequence: [sequences][width].

        pool: "cls", the state of [CLS]; "mean" or "max", over the sequence's own tokens; "sentence", the mean over all
            tokens, [CLS] and [SEP] too; None: what a folder of sentence-transformers says in its modules.json, whose
            vectors may be wider, and "cls" of any other. None (of such a folder) and "sentence" cut texts that are
            longer than the model's positions, with a warning.
        layer: states after so many layers, 0 (the embeddings) to `layers`; -1: the last.
        """
        texts, pooling = _inputs(sequences), _choice(pool, _POOLS, "pool")
        with self._lock:
            out = np.empty((texts.count, _c.predictor_embed_width(self._handle, pooling)), np.float32)
            _c.predictor_embed(self._handle, *texts.inputs(), pooling, layer, _pointer(out, ctypes.c_float))
        return out

    def hidden(self, tokens: npt.ArrayLike) -> Floats:
        """The last layer's state of each token: [tokens][width]. tokens: as tokenize() gives them."""
        ids = np.ascontiguousarray(tokens, np.int32)
        out = np.empty((ids.size, self.width), np.float32)
        with self._lock:
            _c.predictor_hidden(self._handle, _pointer(ids, ctypes.c_int32), ids.size, _pointer(out, ctypes.c_float))
        return out

    def predict_masked(self, tokens: npt.ArrayLike, positions: npt.ArrayLike, *, logits: bool = False) -> Floats:
        """What a pretrained model expects at each position (0-based), that token alone hidden from it.

        Probabilities over the vocabulary, or logits: [positions][vocabulary].
        """
        ids = np.ascontiguousarray(tokens, np.int32)
        at = np.atleast_1d(np.ascontiguousarray(positions, np.int64))
        out = np.empty((at.size, len(self.vocabulary)), np.float32)
        values = _pointer(out, ctypes.c_float)
        wanted = (None, values) if logits else (values, None)
        with self._lock:
            _c.predictor_predict_masked(
                self._handle,
                _pointer(ids, ctypes.c_int32),
                ids.size,
                _pointer(at, ctypes.c_int64),
                at.size,
                *wanted,
            )
        return out

    def ask(
        self,
        question: Text,
        text: Text,
        *,
        n_best: int = 1,
        max_length: int = 0,
        stride: int = 0,
        max_answer: int = 0,
    ) -> List[Answer]:
        """The spans of a text that answer a question best, as `godwit ask` finds them; none where it has no word.

        n_best: how many spans.
        max_length: tokens of the windows that long texts are read in; 0: as the model was trained.
        stride: tokens from one window to the next; 0: half of what a window holds.
        max_answer: most tokens of a span; 0: 30.
        """
        asked, bytes_of = _bytes(question), _bytes(text)
        if b"\0" in asked:
            raise ValueError("the question has a zero character")
        if n_best < 1:
            raise ValueError(f"n_best is {n_best}, not 1 or more")
        spans, count = (_c.FoundSpan * n_best)(), ctypes.c_int64()
        options = _c.made(_c.AskOptions, best=n_best, max_length=max_length, stride=stride, max_answer=max_answer)
        with self._lock:
            _c.predictor_ask(self._handle, asked, bytes_of, len(bytes_of), options, spans, count)
        answers = []
        for span in spans[: count.value]:
            found, begin = bytes_of[span.begin : span.end].decode(), len(bytes_of[: span.begin].decode())
            answers.append(Answer(found, begin, begin + len(found), span.score, span.no_answer))
        return answers

    def scorer(
        self,
        fasta: Union[str, "os.PathLike[str]"],
        *,
        window: int = 0,
        sites: Union[str, "os.PathLike[str]", None] = None,
        contig_names: Union[str, "os.PathLike[str]", None] = None,
        phases: int = 1,
    ) -> "Scorer":
        """Scores variants of this genome: see Scorer."""
        return Scorer(self, fasta, window=window, sites=sites, contig_names=contig_names, phases=phases)


class Scorer(_Handle):
    """A model over a genome: effects of variants, as `godwit score` computes them.

    fasta: the reference, plain or BGZF, best with its .fai.
    window: bp around a variant; 0: the model's own, or of a pretrained model the smaller of 1000 and what fits.
    sites: promoter models: BED of the start sites in whose windows variants are scored.
    contig_names: table of two columns, another name and the contig's.
    phases: windows shifted by 0, 1, -1, 2 ... bp that are averaged; not with sites.
    """

    def __init__(
        self,
        model: Model,
        fasta: Union[str, "os.PathLike[str]"],
        *,
        window: int = 0,
        sites: Union[str, "os.PathLike[str]", None] = None,
        contig_names: Union[str, "os.PathLike[str]", None] = None,
        phases: int = 1,
    ) -> None:
        self._handle = ctypes.c_void_p()
        self._model = model
        options = _c.made(
            _c.ScorerOptions, window=window, sites=_path(sites), contig_names=_path(contig_names), phases=phases
        )
        with model._lock:
            _c.scorer_open(model._handle, _path(fasta), options, self._handle)
            model._scorers.add(self._handle.value)
        columns = (_c.scorer_column(self._handle, column).decode() for column in itertools.count())
        self._names: List[str] = list(itertools.takewhile(bool, columns))
        self.window: int = _c.scorer_window(self._handle)
        """bp around a variant."""

    def _open(self) -> Optional[int]:
        """The handle, or None where the scorer or its model is closed, which the library refuses."""
        return self._handle.value if self._handle.value in self._model._scorers else None

    def close(self) -> None:
        """Frees the scorer, not its model."""
        with self._model._lock:
            handle = self._open()
            self._model._scorers.discard(handle)
            self._handle = ctypes.c_void_p()
            _c.scorer_close(handle)

    def score(
        self, variants: Iterable[Tuple[str, int, str, str]], *, profiles: bool = False
    ) -> Dict[str, np.ndarray]:
        """A table of columns, one row a variant; pandas.DataFrame() takes it as it is.

        variants: (contig, position, REF, ALT), the position 1-based as in a VCF, one ALT each.
        Columns: contig, position, ref, alt; of a fine-tuned model diff, logit, mean, pref, palt, top (the label of the
        largest difference) and, with sites, site; of a pretrained model llr, in bits; with several phases sd; and
        status, "PASS", "NRICH", or why there is no score, in the words of GW_STATUS. Without a score numbers are NaN
        and names are "".
        profiles: also the column profiles, probabilities of REF and of ALT: [variants][2][labels].
        """
        rows = list(variants)
        names = {"contig": [row[0] for row in rows], "ref": [row[2] for row in rows], "alt": [row[3] for row in rows]}
        texts = {name: _Texts(column) for name, column in names.items()}
        position = np.array([row[1] for row in rows], np.int64)
        numbers = self._columns(len(rows), profiles)
        pointers = {
            name: _pointer(column, ctypes.c_int32 if column.dtype == np.int32 else ctypes.c_float)
            for name, column in numbers.items()
        }
        given = _c.made(
            _c.ScorerVariants,
            count=len(rows),
            contig=texts["contig"].pointers,
            position=_pointer(position, ctypes.c_int64),
            ref=texts["ref"].pointers,
            alt=texts["alt"].pointers,
        )
        with self._model._lock:
            _c.scorer_run(self._open(), given, _c.made(_c.ScorerResults, **pointers))
            numbers.update(self._named(numbers))
        contig, ref, alt = (np.array(column, dtype=np.str_) for column in names.values())
        return {"contig": contig, "position": position, "ref": ref, "alt": alt, **numbers}

    def _columns(self, count: int, profiles: bool) -> Dict[str, np.ndarray]:
        """Room for the columns that the library fills."""
        types = dict(_c.ScorerResults._fields_)
        columns = {name: np.empty(count, types[name]._type_) for name in self._names}
        if profiles:
            columns["profiles"] = np.empty((count, 2, len(self._model.labels)), np.float32)
        columns["status"] = np.empty(count, np.int32)
        return columns

    def _named(self, numbers: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
        """The columns of indices as names."""
        of: Dict[str, Callable[[int], str]] = {
            "top": lambda i: self._model.labels[i] if i >= 0 else "",
            "site": lambda i: str(_c.scorer_site(self._open(), i).decode()),
            "status": lambda i: str(_c.scorer_status(i).decode()),
        }
        return {
            name: np.array([of[name](int(i)) for i in numbers[name]], dtype=np.str_) for name in of if name in numbers
        }
