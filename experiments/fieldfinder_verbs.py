"""The commands ``formgym fieldfinder``: data, training and evaluation."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

fieldfinder = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Name a field, get its place: data, training, and how good it is.",
)

_Root = Annotated[str | None, typer.Option(help="the folder of the data set; default: below FORMGYM_DATA")]
_Split = Annotated[str | None, typer.Option(help="default: train of what is annotated, test of our own forms")]
_SETS = "funsd, xfund, xfund/de, form_nlu, scans, auto_loans, official"
_Limit = Annotated[int | None, typer.Option(min=1, help="the most annotated pages")]
_Decoys = Annotated[bool, typer.Option("--decoys", help="erase blank places too, as many as answers")]


@fieldfinder.command()
def evaluate(
    data: Annotated[
        str, typer.Option(help="funsd, xfund, xfund/de, form_nlu, scans, auto_loans, official; by commas")
    ] = "scans",
    protocol: Annotated[str, typer.Option(help="answers, questions, single; by commas")] = "answers",
    locator: Annotated[str, typer.Option(help="names, or 'module:name' of your own; by commas")] = "fieldfinder",
    split: _Split = None,
    root: _Root = None,
    limit: _Limit = None,
    decoys: _Decoys = False,
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE or LOCATOR.NAME=VALUE")] = None,
    together: Annotated[bool, typer.Option("--together/--one-by-one", help="how a page's targets are located")] = True,
    out: Annotated[Path, typer.Option(help="the folder for results.jsonl, summary.json and errors.html")] = Path(
        "fieldfinder"
    ),
) -> None:
    """Measure how well locators find fields: IoU, hits, latency, causes of errors."""
    from .fieldfinder.evaluation import Plan, evaluate_locators

    # As `python -m` would: a locator of one's own may lie beside.
    sys.path.insert(0, str(Path.cwd()))
    named = _listed(data), _listed(protocol), _listed(locator)
    evaluate_locators(Plan(*named, split, root, limit, decoys, _options(option or []), together), out)


@fieldfinder.command("data")
def data_(
    name: Annotated[str, typer.Argument(help=f"one of {_SETS}")],
    protocol: Annotated[str, typer.Option(help="answers, questions or single")] = "answers",
    split: _Split = None,
    root: _Root = None,
    limit: _Limit = None,
    decoys: _Decoys = False,
    out: Annotated[Path | None, typer.Option(help="a folder for a picture of each page")] = None,
) -> None:
    """Build the pages of a data set, answers erased, and print statistics of them."""
    from .fieldfinder.statistics import print_statistics

    print_statistics(name, protocol, root, split, limit, decoys, out)


@fieldfinder.command()
def gallery(
    out: Annotated[Path, typer.Option(help="the folder for the pictures")] = Path("fieldfinder_pages"),
    count: Annotated[int, typer.Option(min=1, help="how many pages")] = 12,
    seed: Annotated[int, typer.Option(min=0, help="of the first page")] = 0,
    genre: Annotated[str | None, typer.Option(help="of forms; default: drawn")] = None,
) -> None:
    """Draw pages that FieldFinder is trained on, with labels, answers and fields."""
    from .training.fieldfinder import draw_training_pages

    draw_training_pages(out, count, seed, genre)


@fieldfinder.command()
def train(
    out: Annotated[Path, typer.Option(help="the folder for the weights")] = Path("fieldfinder_weights"),
    data: Annotated[str, typer.Option(help="synthetic, and sets of your own: funsd, xfund, form_nlu")] = "synthetic",
    pages: Annotated[int, typer.Option(min=1, help="how many synthetic pages")] = 5400,
    root: _Root = None,
    fold: Annotated[int | None, typer.Option(min=0, max=4, help="of five, the part of your pages to leave out")] = None,
    steps: Annotated[int | None, typer.Option(min=20, help="batches; default: those of the shipped weights")] = None,
    rate: Annotated[float | None, typer.Option(min=1e-6, max=1, help="highest learning rate")] = None,
    start: Annotated[Path | None, typer.Option(help="a weights.pt to begin with")] = None,
    seed: Annotated[int, typer.Option(min=0, help="of pages, weights and batches")] = 0,
) -> None:
    """Train FieldFinder's network on synthetic pages and data of your own.

    Needs the extra train.
    """
    from .training.fieldfinder import Training, train_network

    named = _listed(data)
    own = [name for name in named if name != "synthetic"]
    made = pages if "synthetic" in named else 0
    train_network(Training(made, own, root, fold, steps=steps, rate=rate, start=start, seed=seed), out)


@fieldfinder.command()
def finetune(
    model: Annotated[Path, typer.Argument(help="the folder of Florence-2: weights and processor")],
    out: Annotated[Path, typer.Option(help="the folder for the best weights and the history")] = Path("florence"),
    data: Annotated[str, typer.Option(help="funsd, xfund, xfund/de, form_nlu; by commas")] = "funsd",
    root: _Root = None,
    epochs: Annotated[int, typer.Option(min=1)] = 4,
    batch_size: Annotated[int, typer.Option(min=1)] = 8,
    micro_batch_size: Annotated[int | None, typer.Option(min=1, help="examples at once; default: the batch")] = None,
    learning_rate: Annotated[float, typer.Option(min=0)] = 1e-6,
    freeze_vision: Annotated[bool, typer.Option("--freeze-vision", help="leave the vision tower as it is")] = False,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Fine-tune Florence-2 by the paper's recipe on data of your own."""
    from ..fieldfinder_model.florence.finetune import FlorenceRecipe
    from .training.fieldfinder import finetune_florence

    recipe = FlorenceRecipe(
        epochs=epochs,
        batch_size=batch_size,
        micro_batch_size=micro_batch_size,
        learning_rate=learning_rate,
        freeze_vision=freeze_vision,
        seed=seed,
    )
    finetune_florence(model, _listed(data), root, out, recipe)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _options(texts: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` as arguments; a value that is JSON is taken as such.

    Raises:
        ValueError: if one has no ``=``.
    """
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option is NAME=VALUE, not {text!r}")
        try:
            options[name] = json.loads(value)
        except (ValueError, RecursionError):
            options[name] = value
    return options
