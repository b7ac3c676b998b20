"""Scores of web forms: the fields' values, and the agent's clicks and outputs.

The metrics follow FormFactory (clicks and values, section "Evaluation") and add stricter ones beside them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from ..core.extras import needed
from ..core.matchers import fold, value_matcher
from ..core.scoring import FieldResult, Gold, Score, ratio
from ..core.wording import wording
from .forms.form import WebForm
from .forms.form_fields import CHOICES, Field, Value

if TYPE_CHECKING:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

ATOMIC_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("text", "email", "tel", "url", "password", "number", "range", "color"), "String"),
    "select": "Drop-down",
    "multi_select": "Drop-down",
    "checkbox_group": "Checkbox",
    "radio": "Radio",
    "textarea": "Description",
    **dict.fromkeys(("date", "time", "month", "week", "datetime-local"), "Date"),
    "checkbox": "Check",
    "file": "File",
}
"""The atomic type of a control, as the paper names them; ``File`` is ours."""

# What is chosen from a list or must not be guessed. Names of options and files may differ by a hyphen only.
_EXACT = (*CHOICES, "checkbox", "file", "password")
_EMPTY: tuple[Value, ...] = (None, "", [])
_BRIEF = 6
_MAX_NGRAM = 4
# Matchers whose two sides, if they match, have the same letters and digits in the same order: of texts, words only.
_BY_LETTERS = ("text", "choice", "uri")
# Matchers that match nothing without a digit.
_BY_DIGITS = ("phone", "date")


@dataclass(frozen=True, slots=True)
class ScoredField:
    """A field that counts.

    Attributes:
        name: unique in the form.
        label: the text over it.
        control: the control for its value.
        matcher: how texts are compared; see ``MATCHERS``.
        gold: its expected value; nothing (``None``, ``""``, ``[]``): it must keep its first value.
        initial: its first value.
        options: what can be chosen.
    """

    name: str
    label: str
    control: str
    matcher: str
    gold: Value
    initial: Value = None

    @property
    def kind(self) -> str:
        """Its atomic type."""
        return ATOMIC_KINDS[self.control]

    @property
    def is_description(self) -> bool:
        """Whether it is a long text, which the paper's Value measures by BLEU."""
        return self.control == "textarea"

    @property
    def needs_entry(self) -> bool:
        """Whether it has an answer that it does not hold at first."""
        if self.gold in _EMPTY:
            return False
        return not self.holds_gold(self.initial)

    def accepts(self, value: Value) -> bool:
        """Whether ``value`` is right for this field."""
        if self.gold in _EMPTY:
            return value is None or _text(value) == _text(self.initial)
        return self.holds_gold(value)

    def holds_gold(self, value: Value) -> bool:
        """Whether ``value`` is the answer; lists match in any order, others by matcher."""
        if isinstance(self.gold, bool):
            return bool(value) == self.gold
        if isinstance(self.gold, list) or isinstance(value, list):
            return _items(value) == _items(self.gold)
        entered, gold = _text(value), _text(self.gold)
        return entered == gold or (self.control not in _EXACT and Gold(self.matcher, gold).accepts(entered))


class FormScore:
    """The running score of an episode.

    Args:
        fields: all that count. They hold their first values until ``enter`` is called.
    """

    def __init__(self, fields: Sequence[ScoredField]) -> None:
        self.fields = tuple(fields)
        self._numbers = {field.name: i for i, field in enumerate(self.fields)}
        self._needs_entry = [field.needs_entry for field in self.fields]
        self._n_entries = sum(self._needs_entry)
        self._values = [field.initial for field in self.fields]
        self._correct = [not needed for needed in self._needs_entry]
        self._n_right = self._n_spoilt = 0
        answered = [field for field, needed in zip(self.fields, self._needs_entry, strict=True) if needed]
        self._unclicked = {field.name for field in answered}
        self._missing_answers = _MissingAnswers([field for field in answered if not field.is_description])
        self._bleus = _BestBleus([field for field in answered if field.is_description])
        self._metrics: dict[tuple[bool, bool], dict[str, float]] = {}

    def copy(self) -> FormScore:
        """The same score, to be counted on apart."""
        other = copy(self)
        other._values, other._correct, other._unclicked = self._values.copy(), self._correct.copy(), {*self._unclicked}
        other._missing_answers, other._bleus, other._metrics = copy(self._missing_answers), copy(self._bleus), {}
        other._missing_answers.left = {name: {*items} for name, items in self._missing_answers.left.items()}
        other._bleus.bleus = {name: Bleu(bleu.gold) for name, bleu in self._bleus.bleus.items()}
        other._bleus.best = self._bleus.best.copy()
        return other

    def enter(self, values: Mapping[str, Value]) -> None:
        """Update the score to all values of the form; missing or ``None`` ones are empty."""
        self.update({name: values.get(name) for name in self._numbers})

    def update(self, values: Mapping[str, Value]) -> None:
        """Update the score to the values of some fields, which affect no others; ``None``: empty."""
        for name, value in values.items():
            i = self._numbers.get(name)
            if i is None or value == self._values[i]:
                continue
            # A field that was empty and is, whatever stands for that, was judged at the beginning.
            if value not in _EMPTY or self._values[i] not in _EMPTY or self.fields[i].initial not in _EMPTY:
                # A copy, as the caller may change the same list in place.
                self._values[i] = _copied(value)
                self._judge(i)

    def click(self, name: str) -> None:
        """Count a click in a field's control, unless the field does not count."""
        if name in self._unclicked:
            self._unclicked.remove(name)
            self._metrics.clear()

    def output(self, text: str) -> None:
        """Count a text that the agent typed or chose, in any field.

        That is an option, a file or a ticked checkbox's label too.
        """
        struck, improved = self._missing_answers.strike(text), self._bleus.output(text)
        if struck or improved:
            self._metrics.clear()

    def metrics(self, submitted: bool, finished: bool) -> dict[str, float]:
        """The metrics of the score; quick enough for every step.

        ``strict_accuracy``, ``field_accuracy`` and ``success`` are of the current values: the draft, or what was
        submitted. An episode that is finished and not submitted has a ``strict_accuracy`` of 0. ``click_accuracy`` and
        ``value_accuracy`` are of all of the agent's actions; a long text counts in the latter by BLEU.

        Args:
            submitted: whether the form has been submitted.
            finished: whether the episode has ended.
        """
        found = self._metrics.get((submitted, finished))
        if found is None:
            found = self._metrics[submitted, finished] = self._computed(submitted, finished)
        return found.copy()

    def score(self, submitted: bool, finished: bool) -> Score:
        """The score with the results of all fields, and BLEU of any descriptions."""
        results = tuple(self._results())
        bleus = [result.metrics["description_bleu"] for result in results if "description_bleu" in result.metrics]
        metrics = self.metrics(submitted, finished)
        return Score(metrics | ({"description_bleu": ratio(sum(bleus), len(bleus))} if bleus else {}), results)

    def _judge(self, i: int) -> None:
        """Update the correctness of one field, which does not affect the others."""
        field = self.fields[i]
        correct = field.accepts(self._values[i])
        if self._needs_entry[i]:
            self._n_right += correct - self._correct[i]
        else:
            self._n_spoilt -= correct - self._correct[i]
        if correct and self._needs_entry[i]:
            self._missing_answers.discard(field.name)
        self._bleus.held(field.name, _text(self._values[i]))
        self._correct[i] = correct
        self._metrics.clear()

    def _computed(self, submitted: bool, finished: bool) -> dict[str, float]:
        needed, right, spoilt = self._n_entries, self._n_right, self._n_spoilt
        is_lost = finished and not submitted
        return {
            "strict_accuracy": 0.0 if is_lost else ratio(right, needed + spoilt),
            "field_accuracy": ratio(right, needed),
            "success": float(submitted and right == needed and not spoilt),
            "click_accuracy": ratio(needed - len(self._unclicked), needed),
            "value_accuracy": ratio(needed - len(self._missing_answers) - self._bleus.missing, needed),
            "submitted": float(submitted),
        }

    def _results(self) -> Iterator[FieldResult]:
        for field, value, needs_entry, correct in zip(
            self.fields, self._values, self._needs_entry, self._correct, strict=True
        ):
            expected = _text(field.gold, unticked="no") if needs_entry else None
            metrics = self._metrics_of(field, value) if needs_entry else {}
            entered = _text(value, unticked="no" if field.initial is True else "")
            yield FieldResult(field.name, field.label, field.matcher, expected, entered, correct, field.kind, metrics)

    def _metrics_of(self, field: ScoredField, value: Value) -> dict[str, float]:
        metrics = {
            "click_accuracy": float(field.name not in self._unclicked),
            "value_accuracy": self._bleus.best.get(field.name, float(field.name not in self._missing_answers)),
        }
        bleu = {"description_bleu": Bleu(_text(field.gold)).of(_text(value))} if field.is_description else {}
        return metrics | bleu


def scored_fields(form: WebForm, values: Mapping[str, Value]) -> tuple[ScoredField, ...]:
    """Every field of a form, with its expected value.

    Raises:
        ValueError: if there is a value for an unknown field.
    """
    if unknown := sorted(values.keys() - form.by_name.keys()):
        raise ValueError(f"{form.name} has no field {', '.join(unknown)}")
    return tuple(_scored(field, values.get(field.name)) for field in form.fields)


def score_values(
    form: WebForm, gold: Mapping[str, Value], values: Mapping[str, Value], submitted: bool = True
) -> Score:
    """The score of a form's values without the actions: no clicks, no outputs."""
    score = FormScore(scored_fields(form, gold))
    score.enter(values)
    unwatched = ("click_accuracy", "value_accuracy")
    whole = score.score(submitted, submitted)
    fields = (replace(result, metrics=_without(result.metrics, unwatched)) for result in whole.fields)
    return Score(_without(whole.metrics, unwatched), tuple(fields))


class _BestBleus:
    """The best BLEU for each long text, of texts typed or held by its field."""

    def __init__(self, fields: Sequence[ScoredField]) -> None:
        self.bleus = {field.name: Bleu(_text(field.gold)) for field in fields}
        self.best = dict.fromkeys(self.bleus, 0.0)

    @property
    def missing(self) -> float:
        """The sum of what the scores lack to 1."""
        return len(self.best) - sum(self.best.values())

    def output(self, text: str) -> bool:
        """Compare a typed text with every field; return whether any score improves."""
        pieces = {text, *text.split("\t")} if self.best else ()
        # All of them, as each may be better than what its field has had.
        return sum(self.held(name, piece) for name in self.best for piece in pieces) > 0

    def held(self, name: str, text: str) -> bool:
        """Compare the text of a field; return whether its score improves.

        It is ``False`` for fields without a long text.
        """
        best = self.best.get(name, 1.0)
        # The penalty for brevity leaves less than a hundredth to a text of so few words.
        if best == 1.0 or len(text.split()) * _BRIEF < self.bleus[name].n_words:
            return False
        self.best[name] = max(best, self.bleus[name].of(text.strip()))
        return self.best[name] > best


class Bleu:
    """Sentence BLEU of texts that are edited, as of ``sacrebleu``: only what follows the first change is counted anew.

    Args:
        gold: the reference.

    Attributes:
        gold: as above.
        n_words: how many words it has.
    """

    def __init__(self, gold: str) -> None:
        self.n_words = len(gold.split())
        self.gold = gold
        self._counts: dict[tuple[str, ...], int] = {}
        self._tokens: list[str] = []
        self._correct = [(0,) * _MAX_NGRAM]
        """How many n-grams of each length are right up to each token."""

    def of(self, text: str) -> float:
        """BLEU of a text, from 0 to 1."""
        if text == self.gold:
            return 1.0
        gold_length, gold_counts = _gold_ngrams(self.gold)
        self._read(_tokens(text), gold_counts)
        length, correct = len(self._tokens), list(self._correct[-1])
        total = [max(length - n, 0) for n in range(_MAX_NGRAM)]
        metric = needed("sacrebleu.metrics.bleu", "formfactory").BLEU
        bleu = metric.compute_bleu(correct, total, length, gold_length, smooth_method="exp", effective_order=True)
        return min(float(bleu.score) / 100, 1.0)

    def _read(self, tokens: Sequence[str], gold_counts: Mapping[tuple[str, ...], int]) -> None:
        same = next((i for i, (a, b) in enumerate(zip(tokens, self._tokens, strict=False)) if a != b), None)
        same = min(len(tokens), len(self._tokens)) if same is None else same
        for i in range(same, len(self._tokens)):
            for ngram in _ngrams_at(self._tokens, i, gold_counts):
                self._counts[ngram] -= 1
        self._tokens[same:], self._correct[same + 1 :] = tokens[same:], ()
        for i in range(same, len(tokens)):
            correct = list(self._correct[-1])
            for n, ngram in enumerate(_ngrams_at(tokens, i, gold_counts)):
                count = self._counts[ngram] = self._counts.get(ngram, 0) + 1
                correct[n] += count <= gold_counts[ngram]
            self._correct.append(tuple(correct))


class _MissingAnswers:
    """The answers that an agent has not typed or chosen yet, by field."""

    def __init__(self, fields: Sequence[ScoredField]) -> None:
        self.left = {field.name: _answer_items(field) for field in fields}
        self._by_letters: dict[str, list[tuple[ScoredField, str]]] = defaultdict(list)
        self._others: list[tuple[ScoredField, str]] = []
        for field in fields:
            for item in self.left[field.name]:
                alike = self._by_letters[_letters(item)] if _is_by_letters(field, item) else self._others
                alike.append((field, item))

    def __len__(self) -> int:
        return len(self.left)

    def __contains__(self, name: str) -> bool:
        return name in self.left

    def discard(self, name: str) -> None:
        """Remove a field's answer."""
        self.left.pop(name, None)

    def strike(self, text: str) -> bool:
        """Remove the answers that a text, or a line or column of it, completes, if any."""
        before = len(self.left)
        for piece in {text.strip(), *(part.strip() for part in re.split(r"[\t\n]", text))} if before else ():
            for field, item in self._alike(piece):
                if field.name in self.left and _matches_answer(field, item, piece):
                    self.left[field.name].discard(item)
                    if not self.left[field.name]:
                        del self.left[field.name]
        return len(self.left) < before

    def _alike(self, piece: str) -> Iterator[tuple[ScoredField, str]]:
        """The answers that may match ``piece``."""
        yield from self._by_letters.get(_letters(piece), ())
        has_digit = any(map(str.isdigit, piece))
        for field, item in self._others:
            if field.name in self.left and (has_digit or field.matcher not in _BY_DIGITS):
                yield field, item


def _is_by_letters(field: ScoredField, item: str) -> bool:
    is_value = field.matcher == "text" and value_matcher(item) is not None
    return field.control in _EXACT or (field.matcher in _BY_LETTERS and not is_value)


def _answer_items(field: ScoredField) -> set[str]:
    """The parts of a field's answer: the text, each option, the label of a checkbox."""
    return {field.label} if isinstance(field.gold, bool) else _items(field.gold)


def _matches_answer(field: ScoredField, item: str, piece: str) -> bool:
    return piece == item or (field.control != "password" and Gold(field.matcher, item).accepts(piece))


def _scored(field: Field, gold: Value) -> ScoredField:
    label = field.label or field.statement
    return ScoredField(field.name, label, field.control, field.matcher, gold, field.initial_value)


def _copied(value: Value) -> Value:
    return list(value) if isinstance(value, list) else value


def _items(value: Value) -> set[str]:
    texts = value if isinstance(value, list) else [_text(value)]
    return {text.strip() for text in texts} - {""}


def _text(value: Value, unticked: str = "") -> str:
    if isinstance(value, bool):
        return "yes" if value else unticked
    return ", ".join(value) if isinstance(value, list) else (value or "").strip()


@lru_cache(maxsize=8192)
def _letters(text: str) -> str:
    """The letters and digits of a text, normalised for comparison."""
    return wording(fold(text)).letters


@lru_cache(maxsize=16)
def _tokens(text: str) -> tuple[str, ...]:
    """The tokens of BLEU: those of each word, but where a word may go on over a line break or is markup."""
    parts = [text] if "-\n" in text or "<" in text else text.split()
    return tuple(token for part in parts for token in _tokens_of(part))


@lru_cache(maxsize=8192)
def _tokens_of(part: str) -> list[str]:
    return str(_tokenizer()(part.rstrip())).split()


@lru_cache(maxsize=256)
def _gold_ngrams(text: str) -> tuple[int, Mapping[tuple[str, ...], int]]:
    """The number of tokens of a reference, and how often each n-gram is in it."""
    tokens = _tokens(text)
    ngrams = (tuple(tokens[i:end]) for end in range(1, len(tokens) + 1) for i in range(max(end - _MAX_NGRAM, 0), end))
    return len(tokens), Counter(ngrams)


def _ngrams_at(tokens: Sequence[str], end: int, known: Mapping[tuple[str, ...], int]) -> list[tuple[str, ...]]:
    """The known n-grams that end with a token, the shortest first: of one that is not, no longer one is."""
    found: list[tuple[str, ...]] = []
    for start in range(end, max(end - _MAX_NGRAM, -1), -1):
        ngram = tuple(tokens[start : end + 1])
        if ngram not in known:
            break
        found.append(ngram)
    return found


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer13a:
    """The tokenizer of BLEU, with a cache."""
    tokenizer: Tokenizer13a = needed("sacrebleu.tokenizers.tokenizer_13a", "formfactory").Tokenizer13a()
    return tokenizer


def _without(metrics: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    return {name: metric for name, metric in metrics.items() if name not in names}
