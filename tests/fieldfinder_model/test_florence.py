"""Florence-2 as a FieldFinder: batches, fine-tuning with transformers' Trainer, finding."""

import json
import math
import re
import shutil
import sys

import numpy as np
import pytest
from hypothesis import given
from sizes import ALL

from formgym.envs.core.boxes import iou
from formgym.fieldfinder_model.florence.box_tokens import (
    bins_box,
)
from formgym.fieldfinder_model.florence.finetune import (
    NO_TOKEN,
    FlorenceRecipe,
    PromptedExample,
    collate,
    finetune,
    freeze,
    prompted_examples,
)
from formgym.fieldfinder_model.florence.loading import load_florence, pixels, prompt_tokens
from formgym.fieldfinder_model.florence.locator import FlorenceLocator

if not ALL:  # transformers is slow to import.
    pytest.skip("long: make test-all runs it", allow_module_level=True)
torch = pytest.importorskip("torch", reason="needs torch: pip install 'formgym[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'formgym[train]'")
pytest.importorskip("accelerate", reason="needs accelerate: pip install 'formgym[train]'")

from florence_fixture import BINS, SIZES, TARGETS, field_pages, write_florence  # noqa: E402
from PIL import Image  # noqa: E402
from transformers.models.florence2.processing_florence2 import Florence2PostProcessor  # noqa: E402

QUICK = FlorenceRecipe(epochs=1, batch_size=4, learning_rate=5e-3, warmup=0, weight_decay=0, precision="float32")


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


@pytest.fixture(scope="module")
def learned(tiny, tmp_path_factory):
    """A model that knows three pages by heart, twelve fields in all, and what it cost."""
    pages = field_pages(3)
    out = tmp_path_factory.mktemp("learned")
    recipe = QUICK.model_copy(update={"epochs": 6, "batch_size": 12, "warmup": 0.1, "patience": None})
    rows = finetune(tiny, pages * 12, pages, out, recipe, device="cpu")
    return pages, out, rows


def _rgb(page):
    return np.repeat(page.gray[..., None], 3, -1)


@given(BINS, SIZES, SIZES)
def test_bins_are_those_of_the_processor_of_transformers(bins, width, height):
    theirs = object.__new__(Florence2PostProcessor)
    theirs.quantize_bins = (1000, 1000)
    assert theirs.quantize(torch.tensor([bins_box(bins, width, height)]), (width, height))[0].tolist() == list(bins)
    if bins[0] < bins[2] and bins[1] < bins[3]:
        edges = theirs.dequantize(torch.tensor([bins]), (width, height))[0].tolist()
        # They are cut to whole pixels there.
        assert all(edge <= ours < edge + 1 for edge, ours in zip(edges, bins_box(bins, width, height), strict=True))


# Batches


def test_prompts_and_pages_are_read_as_the_processor_reads_them(florence):
    examples = prompted_examples(field_pages(2))
    prompts, images = (
        [one.prompt for one in examples],
        [Image.fromarray(one.page.gray).convert("RGB") for one in examples],
    )
    theirs = florence.processor(text=prompts, images=images, padding=True, return_tensors="pt")
    ours = prompt_tokens(florence.processor, prompts)
    assert torch.equal(ours["input_ids"], theirs["input_ids"])
    assert torch.equal(ours["attention_mask"], theirs["attention_mask"])
    assert torch.equal(pixels(florence.processor, images), theirs["pixel_values"])
    special = ours["input_ids"][:, 18:] < 1005
    assert (special.sum(1) == 1 + (ours["attention_mask"] == 0).sum(1)).all(), "a target brought a token of its own"


def test_labels_say_the_box_and_nothing_where_they_are_padded(florence):
    page = field_pages(1)[0]
    answers = ["<loc_5><loc_6><loc_7><loc_8>", "<loc_5>", "<pad>"]
    labels = collate(florence.processor, [PromptedExample(page, "Name", answer) for answer in answers])["labels"]
    tokens = florence.processor.tokenizer.convert_ids_to_tokens
    assert tokens(labels[0].tolist()) == ["<s>", "<loc_5>", "<loc_6>", "<loc_7>", "<loc_8>", "</s>"]
    assert tokens(labels[1, :3].tolist()) == ["<s>", "<loc_5>", "</s>"]
    assert (labels[1, 3:] == NO_TOKEN).all()
    assert tokens(labels[2, :3].tolist()) == ["<s>", "<pad>", "</s>"], "a token of padding may be an answer"


# Fine-tuning


def _loss(folder, pages):
    florence = load_florence(folder, "cpu")
    with torch.inference_mode():
        return florence.model(**collate(florence.processor, prompted_examples(pages))).loss.item()


def test_training_stops_when_validation_gets_no_better_and_keeps_the_best(tiny, tmp_path):
    train, valid = field_pages(1), field_pages(2)[1:]
    recipe = QUICK.model_copy(update={"epochs": 60, "patience": 3})
    rows = finetune(tiny, train, valid, tmp_path, recipe, device="cpu")
    best = min(range(len(rows)), key=lambda number: rows[number]["valid_loss"])
    assert len(rows) == best + 1 + 3 < 60
    assert rows[-1]["train_loss"] < rows[0]["train_loss"]
    assert _loss(tmp_path / "best", valid) == pytest.approx(rows[best]["valid_loss"], rel=1e-5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["best", "history.json"]


def test_the_seed_decides_and_a_batch_in_parts_teaches_the_same(with_dropout, tiny, tmp_path):
    pages, recipe = field_pages(1), QUICK.model_copy(update={"batch_size": 2, "epochs": 2})
    changes = {"one": {}, "same": {}, "other": {"seed": 1}}
    runs = {
        name: finetune(with_dropout, pages, pages, tmp_path / name, recipe.model_copy(update=change), device="cpu")
        for name, change in changes.items()
    }
    assert runs["one"] == runs["same"] != runs["other"]
    parts = QUICK.model_copy(update={"micro_batch_size": 2})
    losses = [finetune(tiny, pages, pages, tmp_path / "parts", one, device="cpu") for one in (QUICK, parts)]
    assert losses[0][0]["valid_loss"] == pytest.approx(losses[1][0]["valid_loss"], rel=1e-2)


def test_a_frozen_tower_does_not_change_by_a_byte(with_dropout, tmp_path):
    pages, recipe = field_pages(1), QUICK.model_copy(update={"freeze_vision": True, "weight_decay": 0.1})
    finetune(with_dropout, pages, pages, tmp_path, recipe, device="cpu")
    before, after = (load_florence(folder, "cpu").model.state_dict() for folder in (with_dropout, tmp_path / "best"))
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert any("language_model" in name for name in changed)
    assert not any("vision_tower" in name for name in changed)
    model = load_florence(with_dropout, "cpu").model
    freeze(model.model.vision_tower)
    model.train()
    assert not any(module.training for module in model.model.vision_tower.modules())


def test_losses_that_are_not_finite_are_an_error(tiny, tmp_path):
    pages = field_pages(1)
    recipe = QUICK.model_copy(update={"epochs": 3, "learning_rate": 1e30})
    with pytest.raises(ValueError, match="lower learning_rate"):
        finetune(tiny, pages, pages, tmp_path, recipe, device="cpu")


# Finding


@pytest.mark.parametrize(("decoding", "beams"), [("greedy", 1), ("beam", 3)])
def test_a_model_finds_what_it_has_learned(learned, decoding, beams):
    pages, out, rows = learned
    assert rows[-1]["valid_loss"] < 0.02
    assert rows[-1]["valid_loss"] < rows[0]["valid_loss"] / 100
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


def test_a_score_is_the_probability_of_the_answer(learned):
    pages, out, _ = learned
    florence = load_florence(out / "best", "cpu")
    locator = FlorenceLocator(out / "best", decoding="greedy", device="cpu")
    examples = prompted_examples(pages[:1])
    for number, example in enumerate(pages[0].examples):
        with torch.inference_mode():
            loss = florence.model(**collate(florence.processor, [examples[number]])).loss.item()
        (found,) = locator.locate(_rgb(pages[0]), example.target)
        assert found.score == pytest.approx(math.exp(-loss * 6), abs=1e-4)


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
        (shutil.rmtree, "No such file"),
        (lambda folder: (folder / "config.json").write_text("[]"), "holds no Florence-2"),
        (
            lambda folder: _config(folder, text_config={"model_type": "florence2_language"}),
            "not 'florence2' over 'bart'",
        ),
        (lambda folder: (folder / "processor_config.json").unlink(), "holds no Florence-2"),
        (lambda folder: (folder / "model.safetensors").unlink(), "holds no Florence-2"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"), "holds no Florence-2"),
        (_shorten, "weights are missing"),
        (_without_locations, "has no tokens <loc_0> to <loc_999>"),
    ],
)
def test_a_folder_without_a_model_says_how_to_get_one(tiny, tmp_path, harm, expected):
    folder = shutil.copytree(tiny, tmp_path / "model")
    harm(folder)
    with pytest.raises(ValueError, match=re.escape(expected)) as error:
        FlorenceLocator(folder, device="cpu")
    assert f"{folder} holds no Florence-2 with its processor" in str(error.value)
    assert f"--local-dir {folder}" in str(error.value)


def test_missing_libraries_are_told(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match="needs torch: pip install"):
        FlorenceLocator(tiny)
    with pytest.raises(ValueError, match="needs torch: pip install"):
        finetune(tiny, [], [], tmp_path, QUICK)
