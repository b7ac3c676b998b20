"""The command ``formgym`` and its verbs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from .fieldfinder.commands import fieldfinder
from .terminal.console import console, user_errors

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Paperwork as Gymnasium environments.",
)
app.add_typer(fieldfinder, name="fieldfinder")
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command("list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, your own data as well")] = False,
) -> None:
    """Every environment: its tasks, fields, data and licence."""
    from .listing import print_environments

    print_environments(as_json, deep)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, and step in one")] = False,
) -> None:
    """Print what is installed, what is missing and how to get it.

    Exit status 1 if something needed is missing.
    """
    from .doctor import examine

    raise typer.Exit(0 if examine(as_json, deep) else 1)


@app.command()
def play(
    env_id: Annotated[str | None, typer.Argument(metavar="ID", help="default: the first that is listed")] = None,
    task: Annotated[str | None, typer.Option(help="default: one drawn at random")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="draws the task")] = None,
    window: Annotated[bool | None, typer.Option("--window/--terminal", help="default: a window if it can be")] = None,
    out: Annotated[Path, typer.Option(help="where the pictures of the page go")] = Path("play"),
    runs: Annotated[Path, typer.Option(help="where the episode is recorded, as agents' are")] = Path("runs/human"),
) -> None:
    """Try a task yourself, in a window or in the terminal."""
    from .play.command import play_task

    play_task(env_id, task, seed, out, window, runs)


@app.command(context_settings=_PASS_ON)
def evaluate(context: typer.Context) -> None:
    """Run agents over environments, configured by Hydra (-m sweeps).

    For example: formgym evaluate env=formgym/funsd agent=oracle
    """
    _evaluate("evaluate", context.args)


@app.command(context_settings=_PASS_ON)
def sweep(context: typer.Context) -> None:
    """Run every combination of agents, models and environments: evaluate -m.

    A task of a SLURM array does its shard of every job.
    For example: formgym sweep agent=noop,oracle 'env=glob(formgym/*)'
    """
    from .running.shards import slurm_shard

    shard = slurm_shard()
    is_given = any(argument.startswith("shard=") for argument in context.args)
    _evaluate("sweep", ["-m", *context.args, *([f"shard={shard}"] if shard and not is_given else [])])


def _evaluate(verb: str, arguments: list[str]) -> None:
    from .running.choices import register_choices
    from .running.config_errors import config_errors
    from .running.environment_names import with_names_listed
    from .running.evaluate import main as evaluate_main

    # As `python -m` would: an agent of one's own may lie beside.
    sys.path.insert(0, str(Path.cwd()))
    with config_errors():
        arguments = with_names_listed(arguments)
        register_choices(arguments)
        sys.argv = [f"formgym {verb}", *arguments]
        evaluate_main()


@app.command()
def capture(
    pages: Annotated[
        list[str] | None,
        typer.Argument(help="one web page: a URL or an .html file; or folders of a form.html; default: all shipped"),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="of a web page: the folder for its capture")] = None,
    gold: Annotated[
        Path | None, typer.Option(help="of a web page: its tasks; default: gold.json in the folder, or a template")
    ] = None,
    episodes: Annotated[int, typer.Option(min=0, help="of a web page: random ones compared with Chromium")] = 3,
) -> None:
    """Capture a web form of your own to play it without a browser; or paper forms."""
    web = [page for page in pages or [] if page.startswith(("http://", "https://")) or page.endswith((".html", ".htm"))]
    if web or out or gold:
        from .authoring.web.check_custom_form import capture_page

        if out is None or len(web) != 1 or len(pages or []) != 1:
            raise ValueError(
                "a web page is captured alone, and to a folder: formgym capture PAGE --out DIR; "
                "of a paper form name the folder that holds form.html"
            )
        capture_page(web[0], out, gold, episodes)
    else:
        _capture_paper([Path(page) for page in pages or []])


def _capture_paper(folders: list[Path]) -> None:
    """Photograph the paper forms in ``folders``; if it is empty, all shipped forms."""
    from .authoring.build_assets import capture_all, capture_paper_forms

    if folders:
        capture_paper_forms(folders, console.print)
    else:
        capture_all(console.print)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="the address to listen at")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8765,
    results: Annotated[Path, typer.Option(help="where submissions are stored")] = Path("runs/site"),
    runs: Annotated[Path, typer.Option(help="where they are recorded as episodes, as agents' are")] = Path(
        "runs/human"
    ),
    reveal: Annotated[bool, typer.Option(help="show the right answers after submission")] = True,
    allow_public: Annotated[bool, typer.Option("--public", help="let other machines reach it")] = False,
) -> None:
    """Web forms as a site, for people and for agents with a browser of their own."""
    try:
        from ..envs.web_forms.site.app import serve as serve_site
    except ImportError as error:
        raise RuntimeError(f"the site needs Flask: pip install 'formgym[web]' ({error})") from None
    from .running.human_runs import record_submission

    record = partial(record_submission, runs)
    serve_site(host, port, results, reveal=reveal, allow_public=allow_public, stored=record, ready=_print_url)


def _print_url(url: str) -> None:
    console.print(f"Serving at {url} (Control+C ends it)")


@app.command()
def conformance(
    forms: Annotated[list[str] | None, typer.Argument(help="names of web forms; default: all")] = None,
    theme: Annotated[list[str] | None, typer.Option(help="default: all")] = None,
    episodes: Annotated[int, typer.Option(min=1, help="random ones, and an oracle's, of each form and theme")] = 2,
    steps: Annotated[int, typer.Option(min=1, help="of each random episode")] = 40,
    out: Annotated[Path, typer.Option(help="where pictures of what differs go")] = Path("conformance"),
) -> None:
    """Compare captured web forms with real Chromium, frame by frame.

    Exit status 1 if any frame differs.
    """
    from .authoring.web.conformance import conformance as compare_all

    raise typer.Exit(0 if compare_all(forms, theme, episodes, steps, out) else 1)


@app.command()
def bench(
    out: Annotated[Path, typer.Option(help="where the results go as JSON")] = Path("bench.json"),
    rounds: Annotated[int, typer.Option(min=3, help="rounds of measurement; the median counts")] = 15,
    group: Annotated[str, typer.Option(help="paper, web, documents, models, memory, training or all")] = "all",
) -> None:
    """Measure speed and memory against a memcpy of the same page."""
    from .bench.command import run_benchmark

    run_benchmark(out, rounds, group)


@app.command()
def fuzz(
    actions: Annotated[int, typer.Option(min=1, help="how many, over all environments")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="the same seed gives the same episodes")] = 0,
    ids: Annotated[str, typer.Option(help="of environments, with *")] = "*",
    corpus: Annotated[Path, typer.Option(help="where failing episodes are kept")] = Path("fuzz_corpus.json"),
    processes: Annotated[int | None, typer.Option(min=1, help="default: one for each core")] = None,
) -> None:
    """Send random and hostile actions to environments and check their invariants.

    Exit status 1 if anything breaks.
    """
    from .fuzz.running import fuzz_all

    raise typer.Exit(0 if fuzz_all(ids, actions, seed, corpus, processes) else 1)


@app.command()
def health(
    ids: Annotated[str, typer.Option(help="of environments, with *")] = "*",
    episodes: Annotated[int, typer.Option(min=2, help="of each baseline")] = 20,
    fieldfinder: Annotated[int, typer.Option(min=0, help="episodes of the rules with FieldFinder; 0: none")] = 0,
    processes: Annotated[int, typer.Option(min=1, help="how many work at a time")] = 1,
    json_: Annotated[Path | None, typer.Option("--json", help="where the figures go as JSON")] = None,
    out: Annotated[Path | None, typer.Option(help="where the checks go as Markdown")] = None,
    baselines: Annotated[Path | None, typer.Option(help="where the baselines go as Markdown")] = None,
) -> None:
    """Check what must hold of a benchmark in every environment; play its baselines.

    Exit status 1 if a check does not hold.
    """
    from .health.command import health as check_health

    raise typer.Exit(0 if check_health(ids, episodes, fieldfinder, processes, json_, out, baselines) else 1)


@app.command()
def edit(
    path: Annotated[Path, typer.Argument(help="a .pptx or .json document")],
    request: Annotated[str, typer.Argument(help="what to change, in English")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=".pptx, .json, .svg, .pdf or .png; default: NAME-edited")
    ] = None,
    program: Annotated[bool, typer.Option("--program", help="print the edit program")] = False,
) -> None:
    """Edit a document as a sentence asks, by rules, without a model.

    Exit status 1 if the request is not understood.
    """
    from .edit_file import edit_file

    raise typer.Exit(0 if edit_file(path, request, out, program) else 1)


@app.command()
def grounding(
    split: Annotated[str, typer.Option(help="test: shipped documents and held-out language; or train")] = "test",
    out: Annotated[Path | None, typer.Option(help="where the metrics go as JSON")] = None,
) -> None:
    """Evaluate the grounding of expressions in documents: AP, AP50, AP75, by kind."""
    from .reporting.grounding_metrics import report_grounding

    report_grounding(split, out)


@app.command(context_settings=_PASS_ON)
def train(context: typer.Context) -> None:
    """Train a model or a policy by an experiment, configured by Hydra.

    For example: formgym train experiment=grounding_reward_web
    """
    from .training.command import train_command

    train_command(context.args)


@app.command()
def export(
    sources: Annotated[
        list[str],
        typer.Argument(help="an id and settings of it, such as domain=made; or runs, or folders above runs"),
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="the folder to write; it must be new")] = None,
    format_: Annotated[str, typer.Option("--format", help="parquet, jsonl; of a grounding id also minari")] = "parquet",
    targets: Annotated[int | None, typer.Option(min=1, help="of an id: how many rows; default: all")] = None,
    split: Annotated[str | None, typer.Option(help="of an id: train (default), dev or test")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="of an id: draws the pages; default: 0")
    ] = None,
    random: Annotated[float | None, typer.Option(min=0, max=1, help="of minari: the share of random answers")] = None,
    images: Annotated[bool, typer.Option(help="with pictures of pages")] = True,
    chat: Annotated[
        bool, typer.Option("--chat", help="conversations with right calls, of any id; or with those of runs")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="replay an export and compare; exit status 1 if it differs")
    ] = False,
) -> None:
    """Write targets, conversations, or the episodes of runs, as a data set.

    For example: formgym export FormGym/Grounding-v0 domain=made --targets 1000 -o data/made
    """
    if check:
        from .exporting.export_check import check_export

        results = [check_export(Path(source)) for source in sources]
        raise typer.Exit(0 if all(results) else 1)
    from .exporting.command import Choices, export

    if out is None:
        raise ValueError("--out is missing: the folder to write")
    export(sources, Choices(out, format_, targets, split, seed, random, images, chat))


@app.command()
def preference(
    folders: Annotated[
        list[Path], typer.Argument(help="runs to compare; or, with --key, the votes that raters have downloaded")
    ],
    out: Annotated[Path, typer.Option(help="the page to write")] = Path("preference.html"),
    key: Annotated[Path | None, typer.Option(help="the key that was written beside the page")] = None,
    seed: Annotated[int, typer.Option(min=0, help="shuffles sides and order")] = 0,
) -> None:
    """Write a page on which people choose between edits of runs; or count the votes."""
    from .preference.votes import count_votes, make_page

    if key is not None:
        count_votes(key, folders)
    else:
        make_page(folders, out, seed)


@app.command()
def similarity(
    folders: Annotated[list[Path], typer.Argument(help="runs of DocEdit, or folders above runs")],
    encoder: Annotated[str, typer.Option(help="the folder of a CLIP-like model; or stub: none, to try the plumbing")],
) -> None:
    """Directional similarity of edits, by a CLIP-like model (formgym[clip])."""
    from .reporting.similarity_table import measure_similarity

    measure_similarity(folders, encoder)


@app.command()
def report(
    folder: Annotated[
        str | None,
        typer.Argument(help="a run, or a folder above runs; default: the latest; or the word gallery: every page"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="the file to write; default: report.html in the folder; of the gallery: a folder"),
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(min=0, help="how many episodes of each run to show; default: 4, and 18 in all")
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="print the tables of every environment")] = False,
) -> None:
    """Write runs as one HTML file with replays; or a gallery of every page."""
    if folder == "gallery":
        from .reporting.gallery import gallery

        gallery(out or Path(folder))
        return
    from .reporting.report import report_on

    report_on(Path(folder) if folder is not None else None, out, episodes, tables)


@app.command()
def rescore(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    write: Annotated[bool, typer.Option("--write", help="put the new scores into the runs")] = False,
) -> None:
    """Grade recorded episodes with today's scorer, and print what changed.

    Exit status 1 if an episode does not lead to the pixels of its record.
    """
    from .reporting.rescore import rescore as rescore_runs

    raise typer.Exit(0 if rescore_runs(folders, write) else 1)


@app.command()
def submit(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    out: Annotated[Path, typer.Option("--out", "-o", help="the file to write; compressed if it ends in .gz")],
    eval_results: Annotated[
        Path | None, typer.Option(help="the folder of a model's repository: write rows for the Hugging Face Hub too")
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="of these rows: the Hub's id of the benchmark's data set")] = None,
) -> None:
    """Write runs as one file that others can check with formgym verify."""
    from .publishing.commands import submit as submit_runs

    submit_runs(folders, out, eval_results, dataset)


@app.command()
def verify(file: Annotated[Path, typer.Argument(help="what formgym submit has written")]) -> None:
    """Replay every episode of a submission; confirm pixels, scores and aggregates.

    Exit status 1 if anything differs.
    """
    from .publishing.commands import verify as verify_submission

    raise typer.Exit(0 if verify_submission(file) else 1)


def main() -> None:
    """Entry point of the console command."""
    with user_errors():
        app()
