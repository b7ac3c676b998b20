"""Florence-2 as a FieldFinder: boxes in tokens, batches, learning, going on after a kill, finding."""

import json
import math
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from formgym.envs.core.boxes import iou
from formgym.envs.core.files import load
from formgym.envs.paper_forms.examples import Example, ExamplePage
from formgym.fieldfinder_model.florence.box_tokens import (
    MAX_TARGET,
    Answer,
    bins_box,
    bins_text,
    box_bins,
    places,
    prompt,
    text_bins,
)
from formgym.fieldfinder_model.florence.finetune import finetune
from formgym.fieldfinder_model.florence.loading import load_florence
from formgym.fieldfinder_model.florence.locator import FlorenceLocator
from formgym.fieldfinder_model.florence.recipe import Recipe, Row, learning_rate, waited

torch = pytest.importorskip("torch", reason="needs torch: pip install 'formgym[train]'")
transformers = pytest.importorskip("transformers", reason="needs transformers: pip install 'formgym[train]'")

from florence_fixture import TARGETS, field_pages, write_florence  # noqa: E402
from transformers.models.florence2.processing_florence2 import Florence2PostProcessor  # noqa: E402

from formgym.fieldfinder_model.florence import loop, training  # noqa: E402
from formgym.fieldfinder_model.florence.loading import pixels, prompt_tokens  # noqa: E402
from formgym.fieldfinder_model.florence.training import (  # noqa: E402
    NO_TOKEN,
    PromptedExample,
    Trainer,
    answer_labels,
    collate,
    prompted_examples,
    shuffled_batches,
    vision_tower,
    working_dtype,
)

QUICK = Recipe(epochs=1, batch_size=4, learning_rate=5e-3, warmup=0, weight_decay=0, precision="float32")
SIZES = st.integers(1, 5000)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_florence(tmp_path_factory.mktemp("florence") / "tiny")


@pytest.fixture(scope="module")
def with_dropout(tmp_path_factory):
    return write_florence(tmp_path_factory.mktemp("florence") / "dropout", dropout=0.1)


@pytest.fixture
def florence(tiny):
    return load_florence(tiny, "cpu")


@pytest.fixture
def batch(florence):
    return collate(florence.processor, prompted_examples(field_pages(1)))


@pytest.fixture(scope="module")
def learned(tiny, tmp_path_factory):
    """A model that knows three pages by heart, twelve fields in all, and what it cost."""
    pages = field_pages(3)
    out = tmp_path_factory.mktemp("learned")
    recipe = QUICK.model_copy(update={"epochs": 4, "batch_size": 12, "warmup": 0.1, "patience": None})
    rows = finetune(tiny, pages * 12, pages, out, recipe, device="cpu")
    return pages, out, rows


def _rgb(page):
    return np.repeat(page.gray[..., None], 3, -1)


# Boxes and prompts


def _ordered(values):
    spans = st.tuples(values, values).map(sorted)
    return st.tuples(spans, spans).map(lambda both: (both[0][0], both[1][0], both[0][1], both[1][1]))


BINS = _ordered(st.integers(0, 999))


@given(BINS, SIZES, SIZES)
def test_bins_survive_the_way_to_a_box_and_back(bins, width, height):
    box = bins_box(bins, width, height)
    assert box_bins(box, width, height) == bins
    assert text_bins(f"</s><s>{bins_text(bins)}</s><pad>") == bins
    assert 0 < box[0] < box[2] < width
    assert 0 < box[1] < box[3] < height


@given(_ordered(st.floats(0, 1)), SIZES, SIZES)
def test_a_box_comes_back_within_a_bin(shares, width, height):
    box = tuple(share * size for share, size in zip(shares, (width, height) * 2, strict=True))
    again = bins_box(box_bins(box, width, height), width, height)
    for edge, other, size in zip(box, again, (width, height) * 2, strict=True):
        assert abs(edge - other) <= 0.7501 * size / 1000


@given(_ordered(st.floats(-1e6, 1e6)), SIZES, SIZES)
def test_what_lies_off_the_page_is_moved_to_its_edge(box, width, height):
    clipped = tuple(min(max(edge, 0), size) for edge, size in zip(box, (width, height) * 2, strict=True))
    assert box_bins(box, width, height) == box_bins(clipped, width, height)


@given(BINS, SIZES, SIZES)
def test_bins_are_those_of_the_processor_of_transformers(bins, width, height):
    theirs = object.__new__(Florence2PostProcessor)
    theirs.quantize_bins = (1000, 1000)
    assert theirs.quantize(torch.tensor([bins_box(bins, width, height)]), (width, height))[0].tolist() == list(bins)
    if bins[0] < bins[2] and bins[1] < bins[3]:
        edges = theirs.dequantize(torch.tensor([bins]), (width, height))[0].tolist()
        # They are cut to whole pixels there.
        assert all(edge <= ours < edge + 1 for edge, ours in zip(edges, bins_box(bins, width, height), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Name",
        "<loc_1><loc_2><loc_3>",
        "<loc_1><loc_2><loc_3><loc_4><loc_5>",
        "<loc_9><loc_2><loc_3><loc_4>",
        "<loc_1><loc_9><loc_3><loc_4>",
        "<loc_1><loc_2><loc_3><loc_1000>",
        "<loc_1><loc_2><loc_3><loc_-4>",
        "<loc_1><loc_2><loc_x><loc_4>",
    ],
)
def test_an_answer_that_is_no_box_has_no_bins(text):
    assert text_bins(text) is None
    assert places([Answer(text, -0.1)], 100, 100) == []


def test_boxes_that_are_none_are_refused():
    for box in [(5, 0, 4, 9), (0, 9, 4, 8), (0, 0, math.nan, 1), (0, 0, math.inf, 1)]:
        with pytest.raises(ValueError, match="no box"):
            box_bins(box, 100, 100)
    with pytest.raises(ValueError, match="no bins"):
        bins_box((0, 0, 1000, 1), 100, 100)
    with pytest.raises(ValueError, match="no places"):
        box_bins((0, 0, 1, 1), 0, 100)


@given(st.text(max_size=300).filter(str.strip))
def test_no_target_brings_tokens_of_its_own(target):
    question = prompt(target)
    assert question.startswith("Locate the field: ")
    assert not re.search(r"<\S", question)
    assert len(question.replace("< ", "<")) <= len("Locate the field: ") + MAX_TARGET


def test_targets_are_asked_for_by_their_words():
    assert prompt(" Date\n of birth") == "Locate the field: Date of birth"
    assert prompt("<OCR> of </s>") == "Locate the field: < OCR> of < /s>"
    with pytest.raises(ValueError, match="blank"):
        prompt(" \n")


# Batches


def test_prompts_and_pages_are_read_as_the_processor_reads_them(florence):
    examples = prompted_examples(field_pages(2))
    prompts, images = [one.prompt for one in examples], [one.image for one in examples]
    theirs = florence.processor(text=prompts, images=images, padding=True, return_tensors="pt")
    ours = prompt_tokens(florence.processor, prompts)
    assert torch.equal(ours["input_ids"], theirs["input_ids"])
    assert torch.equal(ours["attention_mask"], theirs["attention_mask"])
    assert torch.equal(pixels(florence.processor, images), theirs["pixel_values"])
    special = ours["input_ids"][:, 18:] < 1005
    assert (special.sum(1) == 1 + (ours["attention_mask"] == 0).sum(1)).all(), "a target brought a token of its own"


def test_labels_say_the_box_and_nothing_where_they_are_padded(florence):
    labels = answer_labels(florence.processor, ["<loc_5><loc_6><loc_7><loc_8>", "<loc_5>", "<pad>"])
    tokens = florence.processor.tokenizer.convert_ids_to_tokens
    assert tokens(labels[0].tolist()) == ["<s>", "<loc_5>", "<loc_6>", "<loc_7>", "<loc_8>", "</s>"]
    assert tokens(labels[1, :3].tolist()) == ["<s>", "<loc_5>", "</s>"]
    assert (labels[1, 3:] == NO_TOKEN).all()
    assert tokens(labels[2, :3].tolist()) == ["<s>", "<pad>", "</s>"], "a token of padding may be an answer"


def test_padding_adds_nothing_to_the_loss(florence):
    page = field_pages(1)[0]
    answers = ["<loc_5><loc_6><loc_7><loc_8>", "<loc_5>", "<loc_9><loc_6>"]
    examples = [PromptedExample(page, prompt(name), answer) for name, answer in zip(TARGETS, answers, strict=False)]
    trainer = Trainer(florence.model, QUICK)
    whole = collate(florence.processor, examples)
    assert (whole["attention_mask"] == 0).any()
    assert (whole["labels"] == NO_TOKEN).any()
    alone = [collate(florence.processor, [one]) for one in examples]
    assert not any((one["attention_mask"] == 0).any() for one in alone)
    together = trainer.loss([[whole]])
    assert together == pytest.approx(trainer.loss([alone]), abs=1e-5)
    unmasked = whole["labels"].masked_fill(whole["labels"] == NO_TOKEN, florence.processor.tokenizer.pad_token_id)
    assert abs(trainer.loss([[{**whole, "labels": unmasked}]]) - together) > 0.01


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 5), st.integers(0, 5))
def test_every_epoch_has_each_example_once(count, size, seed, epoch):
    batches = shuffled_batches(count, size, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(count))
    assert {len(batch) for batch in batches[:-1]} <= {size}
    assert batches == shuffled_batches(count, size, seed, epoch)


def test_epochs_and_seeds_differ_in_their_order():
    orders = [shuffled_batches(50, 50, seed, epoch)[0] for seed in range(3) for epoch in range(3)]
    assert len({tuple(order) for order in orders}) == 9


def test_examples_that_cannot_be_asked_for_are_told_with_their_page():
    page = field_pages(1)[0]
    for target, box in (("Name", (9, 0, 4, 4)), (" ", (0, 0, 4, 4))):
        example = Example(target, box, box, "line")
        with pytest.raises(ValueError, match="page 'bad'"):
            prompted_examples([page, ExamplePage("bad", page.gray, (), (example,))])
    with pytest.raises(ValueError, match="no example"):
        prompted_examples([ExamplePage("none", page.gray, (), ())])


# The recipe


def test_the_recipe_is_the_papers():
    recipe = Recipe()
    assert (recipe.epochs, recipe.batch_size, recipe.learning_rate) == (4, 8, 1e-6)
    with pytest.raises(ValueError, match="extra"):
        Recipe(learningrate=1)


@pytest.mark.parametrize("steps", [1, 7, 100])
def test_the_rate_falls_along_the_cosine_of_transformers(steps):
    weights = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([weights], lr=3e-4)
    theirs = transformers.get_cosine_schedule_with_warmup(optimizer, 0, steps)
    recipe = Recipe(learning_rate=3e-4, warmup=0)
    for step in range(steps):
        assert learning_rate(recipe, step, steps) == pytest.approx(theirs.get_last_lr()[0], rel=1e-9)
        optimizer.step()
        theirs.step()


def test_the_rate_rises_first_and_is_never_nought():
    rates = [learning_rate(Recipe(learning_rate=1, warmup=0.2), step, 50) for step in range(50)]
    assert rates[:11] == pytest.approx([(step + 1) / 11 for step in range(11)])
    assert rates[30] == pytest.approx(0.5)
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert min(rates) > 0


def test_waiting_is_counted_from_the_best_row():
    def row(best):
        return Row(step=1, epoch=1, learning_rate=1, train_loss=1, valid_loss=1, best=best)

    for since, expected in enumerate([[True], [True, False], [True, False, True, False, False]]):
        assert waited(list(map(row, expected))) == since
    assert waited([]) == 0


# Learning


def _with_running_means(model):
    """Put running means into the vision tower; where only gradients are frozen, they go on changing."""
    stage = model.model.vision_tower.convs[1]
    stage.conv = torch.nn.Sequential(stage.conv, torch.nn.BatchNorm2d(32))


def _copy(module):
    return {name: values.clone() for name, values in module.state_dict().items()}


def _changed(before, module):
    return {name for name, values in module.state_dict().items() if not torch.equal(values, before[name])}


@pytest.mark.parametrize("frozen", [True, False])
def test_a_frozen_tower_does_not_change_by_a_byte(with_dropout, batch, frozen):
    model = load_florence(with_dropout, "cpu").model
    _with_running_means(model)
    tower = vision_tower(model)
    before, whole = _copy(tower), _copy(model)
    modes = []
    tower.convs[0].register_forward_hook(lambda *_: modes.append((tower.training, model.model.language_model.training)))
    trainer = Trainer(model, QUICK.model_copy(update={"freeze_vision": frozen, "weight_decay": 0.1}))
    for _ in range(2):
        trainer.learn([batch], 1e-3)
        trainer.loss([[batch]])
    trainer.learn([batch], 1e-3)
    assert modes == [(not frozen, True), (False, False)] * 2 + [(not frozen, True)]
    assert any("projector" in name for name in _changed(whole, model))
    assert any("lm_head" in name for name in _changed(whole, model))
    changed = _changed(before, tower)
    if frozen:
        assert changed == set()
        assert not any(module.training for module in tower.modules())
        assert all(weights.grad is None for weights in tower.parameters())
        optimised = {id(weights) for group in trainer._optimizer.param_groups for weights in group["params"]}
        assert not optimised & {id(weights) for weights in tower.parameters()}
    else:
        assert any("running_mean" in name for name in changed)
        assert any("blocks" in name for name in changed)


def test_a_batch_in_parts_teaches_the_same(tiny, batch):
    def part(places):
        return {name: values[places] for name, values in batch.items()}

    taught = []
    for parts in ([batch], [part(slice(0, 3)), part(slice(3, 4))]):
        model = load_florence(tiny, "cpu").model
        loss = Trainer(model, QUICK).learn(parts, 1e-4)
        taught.append((loss, _copy(model)))
    (loss, one), (other_loss, other) = taught
    assert loss == pytest.approx(other_loss, rel=1e-5)
    # Adam's first update is the sign of a gradient, so that next to nothing may differ where the gradient is nothing.
    assert np.mean([(one[name] - other[name]).abs().mean().item() < 1e-6 for name in one]) > 0.95


@LONG
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_learning_with_half_the_bits(florence, batch, precision):
    trainer = Trainer(florence.model, QUICK.model_copy(update={"precision": precision}))
    exact = Trainer(florence.model, QUICK).loss([[batch]])
    assert trainer.loss([[batch]]) == pytest.approx(exact, rel=0.02)
    assert trainer.loss([[batch]]) != exact
    losses = [trainer.learn([batch], 2e-3) for _ in range(12)]
    assert losses[-1] < 0.7 * losses[0]
    assert {weights.dtype for weights in florence.model.parameters()} == {torch.float32}


def test_bits_are_chosen_for_the_device():
    cpu = torch.device("cpu")
    assert [working_dtype(name, cpu) for name in ("auto", "float32", "bfloat16")] == [None, None, torch.bfloat16]
    if torch.cuda.is_available():
        assert working_dtype("auto", torch.device("cuda")) in (torch.bfloat16, torch.float16)


# The loop


def _weights(folder):
    return (folder / "best" / "model.safetensors").read_bytes()


def test_training_stops_when_validation_gets_no_better(tiny, tmp_path):
    train, valid = field_pages(1), field_pages(2)[1:]
    recipe = QUICK.model_copy(update={"epochs": 60, "patience": 3})
    rows = finetune(tiny, train, valid, tmp_path, recipe, device="cpu")
    best = min(range(len(rows)), key=lambda number: rows[number].valid_loss)
    assert len(rows) == best + 1 + 3 < 60
    assert [row.best for row in rows[best:]] == [True, False, False, False]
    assert rows[-1].train_loss < rows[best].train_loss
    assert [row.step for row in rows] == list(range(1, len(rows) + 1))
    florence = load_florence(tmp_path / "best", "cpu")
    kept = Trainer(florence.model, recipe).loss([[collate(florence.processor, prompted_examples(valid))]])
    assert kept == pytest.approx(rows[best].valid_loss, rel=1e-5), "what is kept is not the best"
    expected = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    assert expected == [row.model_dump() for row in rows]


class Killed(BaseException):
    pass


# Two updates an epoch, a validation after each: what is killed in the fourth is halfway to the second validation.
RESUMED = QUICK.model_copy(update={"epochs": 4, "batch_size": 4, "patience": None})


@pytest.fixture(scope="module")
def uninterrupted(with_dropout, tmp_path_factory):
    out = tmp_path_factory.mktemp("uninterrupted")
    return finetune(with_dropout, field_pages(2), field_pages(1), out, RESUMED, device="cpu"), _weights(out)


@LONG
@pytest.mark.parametrize(
    ("where", "what", "time"), [(training.Trainer, "learn", 4), (loop, "save_best", 2), (loop, "save_state", 2)]
)
def test_a_killed_run_goes_on_as_if_nothing_had_been(with_dropout, uninterrupted, tmp_path, where, what, time):
    calls = []

    def killed(*arguments):
        calls.append(arguments)
        if len(calls) == time:
            raise Killed
        return original(*arguments)

    original = getattr(where, what)
    arguments = (with_dropout, field_pages(2), field_pages(1), tmp_path, RESUMED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, what, killed)
        with pytest.raises(Killed):
            finetune(*arguments, device="cpu")
    torch.manual_seed(99)
    reported = []
    rows = finetune(*arguments, device="cpu", report=reported.append)
    assert len(rows) == 4
    assert reported == list(rows[1:])
    assert rows == uninterrupted[0]
    assert _weights(tmp_path) == uninterrupted[1]


def test_a_run_killed_when_it_had_waited_enough_does_not_go_on(tiny, tmp_path):
    def killed(row):
        if not row.best:
            raise Killed

    train, valid = field_pages(1), field_pages(2)[1:]
    recipe = QUICK.model_copy(update={"epochs": 60})
    with pytest.raises(Killed):
        finetune(tiny, train, valid, tmp_path, recipe, device="cpu", report=killed)
    before = len((tmp_path / "history.jsonl").read_text().splitlines())
    rows = finetune(tiny, train, valid, tmp_path, recipe, device="cpu", report=killed)
    assert len(rows) == before < 60
    assert [row.best for row in rows[-2:]] == [True, False]


def test_what_a_kill_left_half_written_is_in_nobodys_way(with_dropout, uninterrupted, tmp_path):
    (tmp_path / "best.part").mkdir()
    (tmp_path / "best.part" / "model.safetensors").write_bytes(b"half")
    (tmp_path / "best.old").mkdir()
    (tmp_path / "state.pt.part").write_bytes(b"half")
    rows = finetune(with_dropout, field_pages(2), field_pages(1), tmp_path, RESUMED, device="cpu")
    assert rows == uninterrupted[0]
    assert _weights(tmp_path) == uninterrupted[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "history.jsonl", "state.pt"]


def test_a_run_that_is_over_is_not_done_again_and_another_is_refused(tiny, tmp_path):
    pages, reported = field_pages(1), []
    before = torch.get_rng_state()
    rows = finetune(tiny, pages, pages, tmp_path, QUICK, device="cpu", report=reported.append)
    assert torch.equal(before, torch.get_rng_state()), "the caller's random numbers were taken"
    assert (tmp_path / "state.pt").stat().st_size < 10_000
    assert finetune(tiny, pages, pages, tmp_path, QUICK, device="cpu", report=reported.append) == rows
    assert len(reported) == 1
    for changed in ({"seed": 1}, {"learning_rate": 1e-4}):
        with pytest.raises(ValueError, match="another recipe"):
            finetune(tiny, pages, pages, tmp_path, QUICK.model_copy(update=changed), device="cpu")
    with pytest.raises(ValueError, match="another recipe"):
        finetune(tiny, field_pages(2), pages, tmp_path, QUICK, device="cpu")


def test_the_seed_decides(with_dropout, tmp_path):
    pages, recipe = field_pages(1), QUICK.model_copy(update={"batch_size": 2})
    runs = {
        name: finetune(with_dropout, pages, pages, tmp_path / name, recipe.model_copy(update=change), device="cpu")
        for name, change in {"one": {}, "same": {}, "other": {"seed": 1}}.items()
    }
    assert runs["one"] == runs["same"]
    assert runs["one"] != runs["other"]


def test_losses_that_are_no_numbers_are_told(tiny, tmp_path):
    pages = field_pages(1)
    recipe = QUICK.model_copy(update={"epochs": 3, "learning_rate": 1e30})
    with pytest.raises(ValueError, match="lower learning_rate"):
        finetune(tiny, pages, pages, tmp_path, recipe, device="cpu")


# Finding


@LONG
@pytest.mark.parametrize(("decoding", "beams"), [("greedy", 1), ("beam", 3)])
def test_a_model_finds_what_it_has_learned(learned, decoding, beams):
    pages, out, rows = learned
    assert rows[-1].valid_loss < 0.02
    assert rows[-1].valid_loss < rows[0].valid_loss / 100
    locator = FlorenceLocator(out / "best", decoding=decoding, num_beams=beams, device="cpu")
    for page in pages:
        found = locator.locate_all(_rgb(page), [example.target for example in page.examples])
        for example, (first, *others) in zip(page.examples, found, strict=True):
            assert iou(first.box, example.box) > 0.9
            assert 0.9 < first.score <= 1
            assert first.score + sum(other.score for other in others) <= 1 + 1e-9
            assert [first.score, *(other.score for other in others)] == sorted(
                (place.score for place in (first, *others)), reverse=True
            )


@LONG
def test_a_score_is_the_probability_of_the_answer(learned):
    pages, out, _ = learned
    florence = load_florence(out / "best", "cpu")
    locator = FlorenceLocator(out / "best", decoding="greedy", device="cpu")
    examples = prompted_examples(pages[:1])
    for number, example in enumerate(pages[0].examples):
        batch = collate(florence.processor, [examples[number]])
        loss = Trainer(florence.model, QUICK).loss([[batch]])
        (found,) = locator.locate(_rgb(pages[0]), example.target)
        assert found.score == pytest.approx(math.exp(-loss * 6), abs=1e-4)


@LONG
def test_one_beam_is_greedy_and_batches_change_nothing(learned):
    pages, out, _ = learned
    targets = ["Name", "Something quite different, and longer than what was learned", *TARGETS]
    greedy = FlorenceLocator(out / "best", decoding="greedy", device="cpu")
    beam = FlorenceLocator(out / "best", decoding="beam", num_beams=1, batch_size=1, device="cpu")
    page = _rgb(pages[1])
    found, alone = greedy.locate_all(page, targets), [greedy.locate(page, target) for target in targets]
    assert any(found)
    for other in (beam.locate_all(page, targets), alone):
        for one, same in zip(found, other, strict=True):
            assert [place.box for place in one] == [place.box for place in same]
            assert [place.score for place in one] == pytest.approx([place.score for place in same], abs=1e-4)
    assert greedy.locate_all(page, []) == []


def test_beams_find_several_places(learned):
    pages, out, _ = learned
    locator = FlorenceLocator(out / "best", num_beams=6, device="cpu")
    found = locator.locate(_rgb(pages[0]), "Something that is not on the page")
    assert len(found) > 1
    for one in found:
        assert sum(iou(one.box, other.box) > 0.5 for other in found) == 1


def test_a_model_that_has_learned_nothing_finds_boxes_or_nothing(tiny):
    page = _rgb(field_pages(1)[0])
    for decoding in ("greedy", "beam"):
        for found in FlorenceLocator(tiny, decoding=decoding, device="cpu").locate_all(page, TARGETS):
            assert sum(place.score for place in found) <= 1
            for left, top, right, bottom in (place.box for place in found):
                assert 0 <= left < right <= page.shape[1]
                assert 0 <= top < bottom <= page.shape[0]


def test_answers_about_one_place_add_up():
    expected = {(100, 100, 300, 200): 0.3, (101, 100, 300, 200): 0.2, (600, 600, 700, 650): 0.4}
    answers = [Answer(bins_text(bins), math.log(share)) for bins, share in expected.items()]
    first, second = places([*answers, Answer("words", math.log(0.1))], 1000, 1000)
    assert first.score == pytest.approx(0.5)
    assert first.box == bins_box((100, 100, 300, 200), 1000, 1000)
    assert second.score == pytest.approx(0.4)


# Errors


@pytest.mark.parametrize("picture", [np.zeros((9, 9), np.uint8), np.zeros((9, 9, 3)), np.zeros((0, 9, 3), np.uint8)])
def test_what_is_no_page_is_told(tiny, picture):
    with pytest.raises(ValueError, match="a page is uint8"):
        FlorenceLocator(tiny, device="cpu").locate(picture, "Name")


def test_wrong_arguments_are_told(tiny):
    with pytest.raises(ValueError, match="'beam' or 'greedy'"):
        FlorenceLocator(tiny, decoding="sampling")
    with pytest.raises(ValueError, match="num_beams is 0"):
        FlorenceLocator(tiny, num_beams=0)
    with pytest.raises(ValueError, match="blank"):
        FlorenceLocator(tiny, device="cpu").locate(_rgb(field_pages(1)[0]), "  ")


def _config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _shorten(folder):
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights.pop("model.language_model.encoder.layers.0.fc1.weight")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _without_locations(folder):
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_text((folder / name).read_text().replace("<loc_", "<place_"))


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (shutil.rmtree, "there is no folder"),
        (lambda folder: (folder / "config.json").unlink(), "config.json is missing"),
        (lambda folder: (folder / "config.json").write_text("[]"), "config.json is missing or of no use"),
        (lambda folder: _config(folder, model_type="bart"), "kind 'bart'"),
        (lambda folder: _config(folder, text_config={"model_type": "florence2_language"}), "needs remote code"),
        (lambda folder: (folder / "processor_config.json").unlink(), "no Florence-2 with its processor"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no Florence-2 with its processor"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"), "no Florence-2 with its processor"),
        (_shorten, "lacks weights"),
        (_without_locations, "has no tokens <loc_0> to <loc_999>"),
    ],
)
def test_a_folder_without_a_model_says_how_to_get_one(tiny, tmp_path, harm, expected):
    folder = shutil.copytree(tiny, tmp_path / "model")
    harm(folder)
    with pytest.raises(ValueError, match=re.escape(expected)) as error:
        FlorenceLocator(folder, device="cpu")
    assert f"--local-dir {folder}" in str(error.value)


def test_missing_libraries_are_told(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match="needs torch: pip install"):
        FlorenceLocator(tiny)
    with pytest.raises(ValueError, match="needs torch: pip install"):
        finetune(tiny, [], [], tmp_path, QUICK)


def test_the_doors_are_light():
    code = (
        "import sys, formgym.fieldfinder_model.florence.locator, formgym.fieldfinder_model.florence.finetune;"
        "print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_history_on_disk_is_read_back(learned):
    _, out, rows = learned
    lines = (out / "history.jsonl").read_text().splitlines()
    (out / "row.json").write_text(lines[-1])
    assert load(Row, out / "row.json") == rows[-1]
    assert loop.BEST in {path.name for path in out.iterdir()}
