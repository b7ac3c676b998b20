"""The verbs of ``formgym``: their options, what shells complete, and where their work is done."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..envs.registration import ids
from .terminal.console import say, set_mode


def environment_names(incomplete: str) -> list[str]:
    """The ids of environments that begin with ``incomplete``, in any case."""
    return [env_id for env_id in ids() if env_id.lower().startswith(incomplete.lower())]


def overrides(context: typer.Context, incomplete: str) -> list[str]:
    """Settings that begin with ``incomplete``, or after ``=`` the choices of one."""
    from .running.command_line import SETTINGS

    before = context.params.get("overrides") or ()
    # Bash takes agent=or for three words, and agent= for two; zsh and fish take it for one.
    if before and before[-1] == "=":
        return _matching(_choices(before[-2]), incomplete)
    setting, equals, begun = incomplete.rpartition("=")
    if not equals and before and _choices(before[-1]):
        return _matching(_choices(before[-1]), begun)
    names = _choices(setting) if equals else [f"{name}=" for name in SETTINGS]
    return [f"{setting}{equals}{name}" for name in _matching(names, begun)]


def _matching(names: list[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun)]


def _choices(setting: str) -> list[str]:
    """The choices of a setting."""
    from .running.command_line import choices

    return choices(setting) + (list(ids()) if setting == "env" else [])


def _as_json(chosen: bool) -> bool:
    if chosen:
        set_mode(as_json=True)
    return chosen


def _print_settings(chosen: bool) -> None:
    if chosen:
        from .running.command_line import settings_help

        say(settings_help())
        raise typer.Exit


EnvId = Annotated[
    str | None, typer.Argument(metavar="ID", help="default: the first that is listed", autocompletion=environment_names)
]
Json = Annotated[bool, typer.Option("--json", callback=_as_json, help="print JSON, and nothing else")]
Overrides = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=VALUE...", help="settings", autocompletion=overrides)
]


Options = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=VALUE...", help="options of the environment, such as form=FOLDER")
]


# -- Look --------------------------------------------------------------------------------------------------------------


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="a folder for pictures and a page")] = Path("formgym-demo"),
    open_: Annotated[bool, typer.Option("--open", help="open the page in a browser")] = False,
    gif: Annotated[Path | None, typer.Option(help="write only this: the tour as an animated picture")] = None,
) -> None:
    """Tour the three suites in 20 seconds, with pictures and a page."""
    if gif is not None:
        from .demo.animation import write_animation

        write_animation(gif)
        return
    from .demo.command import show_demo

    show_demo(out, open_)


def list_(
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="show these in full: a part of ids, or ids with *", autocompletion=environment_names
        ),
    ] = None,
    as_json: Json = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, your own data as well")] = False,
) -> None:
    """List environments: what each asks, and how many tasks it has."""
    from .overview.listing import print_environments

    print_environments(pattern, deep)


def play(
    env_id: EnvId = None,
    options: Options = None,
    task: Annotated[str | None, typer.Option(help="default: one drawn at random")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="draws the task")] = None,
    window: Annotated[bool | None, typer.Option("--window/--terminal", help="default: a window if it can be")] = None,
    out: Annotated[Path, typer.Option(help="where the pictures of the page go")] = Path("play"),
    runs: Annotated[Path, typer.Option(help="where the episode is recorded, as agents' are")] = Path("runs/human"),
) -> None:
    """Do a task yourself, in a window or in the terminal."""
    from .play.command import play_task

    play_task(env_id, options or (), task, seed, out, window, runs)


def doctor(
    as_json: Json = False,
    deep: Annotated[bool, typer.Option("--deep", help="open every environment, and step in one")] = False,
) -> None:
    """Say what is installed, what is missing, and how to get it.

    Exit status 1 if something needed is missing.
    """
    from .overview.doctor import examine

    raise typer.Exit(0 if examine(deep) else 1)


# -- Measure -----------------------------------------------------------------------------------------------------------


def sweep(
    overrides: Overrides = None,
    as_json: Json = False,
    help_: Annotated[
        bool, typer.Option("--help", callback=_print_settings, is_eager=True, help="explain every setting")
    ] = False,
) -> None:
    """Run agents on environments: every combination of what is named.

    For example: formgym sweep agent=noop,oracle env=formgym/scans
    """
    from .running.sweep import sweep as sweep_all

    sweep_all(overrides or [])


def report(
    folder: Annotated[Path | None, typer.Argument(help="a run, or a folder above runs; default: the latest")] = None,
    out: Annotated[
        Path | None, typer.Option(help="the file to write; default: report.html in the folder of the runs")
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(min=0, help="how many episodes of each run to show; default: 4, and 18 in all")
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="print the tables of every environment")] = False,
    as_json: Json = False,
) -> None:
    """Write runs as one HTML page, with tables and replays."""
    from .reporting.report import report_on

    report_on(folder, out, episodes, tables)


def rescore(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    write: Annotated[bool, typer.Option("--write", help="put the new scores into the runs")] = False,
    as_json: Json = False,
) -> None:
    """Grade recorded episodes with today's scorer.

    Exit status 1 if an episode does not lead to the pixels of its record.
    """
    from .reporting.rescore import rescore as rescore_runs

    raise typer.Exit(0 if rescore_runs(folders, write) else 1)


# -- Bring your own ----------------------------------------------------------------------------------------------------


def import_(
    pages: Annotated[
        list[str],
        typer.Argument(
            help="a .pdf; pictures of a form's pages; a web page: an .html file, a folder, a .zip or a URL on this "
            "machine; or folders of paper forms"
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="the folder for a PDF or pictures, default: their name; or for a web page")
    ] = None,
    boxes: Annotated[
        list[Path] | None,
        typer.Option(help="of a form without fields: where they are: JSON, COCO or FUNSD; default: proposals"),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="take what FieldFinder finds; start the server of a page without asking")
    ] = False,
    edit: Annotated[bool, typer.Option("--edit", help="draw and name the boxes of a folder in the browser")] = False,
    page: Annotated[
        str | None, typer.Option(help="of a folder with web pages: the file to open, or the path of its server")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="of a web page: the command of its own server; {port} stands for its port")
    ] = None,
) -> None:
    """Bring in a web or paper form of your own, to play it anywhere.

    For example: formgym import application.pdf
    """
    from .import_forms import import_form

    import_form(pages, out, boxes or [], accept=yes, edit=edit, page=page, server=server)


def serve(
    host: Annotated[str, typer.Option(help="the address to listen at")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8765,
    out: Annotated[Path, typer.Option("--out", "-o", "--results", help="where submissions are stored")] = Path(
        "runs/site"
    ),
    runs: Annotated[Path, typer.Option(help="where they are written as episodes, as agents' are, when it ends")] = Path(
        "runs/human"
    ),
    reveal: Annotated[bool, typer.Option(help="show the right answers after submission")] = True,
    public: Annotated[
        bool, typer.Option("--public", help="let other machines reach it; each may ask only so often")
    ] = False,
    name: Annotated[
        list[str] | None, typer.Option(help="with --public: another name that it is reached by, such as a proxy's")
    ] = None,
    rank: Annotated[
        list[Path] | None, typer.Option(help="runs of DocEdit, or a folder of them, that people rank; also several")
    ] = None,
    export_: Annotated[
        bool,
        typer.Option("--export", help="only write what is stored as JSON and episodes; again and again if need be"),
    ] = False,
) -> None:
    """Serve web forms as a site, for people and browser agents.

    Several may serve the same --out at once. Control+C ends one; what is stored is kept.
    """
    try:
        from .play.site_server import Site
    except ImportError as error:
        raise RuntimeError(f"the site needs Flask: pip install 'formgym[web]' ({error})") from None

    site = Site(host, port, out, runs, reveal, public, tuple(name or ()), tuple(rank or ()))
    if export_:
        site.export()
    else:
        site.serve()


def mcp(
    env_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=environment_names)],
    options: Options = None,
    task: Annotated[str | None, typer.Option(help="default: one that the seed draws")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="draws the task; default: another one each time")] = None,
    wrapper: Annotated[list[str] | None, typer.Option(help="such as field_finder or ruler; also several")] = None,
    unit: Annotated[
        str | None, typer.Option(help="of coordinates: pixel, fraction or thousand; default: as tools")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="serve over HTTP on this machine; 0: any that is free")
    ] = None,
    name: Annotated[str, typer.Option(help="of the agent in tables")] = "mcp",
    runs: Annotated[Path, typer.Option(help="where episodes are recorded")] = Path("runs/mcp"),
) -> None:
    """Serve an environment to agent programs by MCP, over stdio or HTTP.

    For example, in an agent's settings: formgym mcp FormGym/Scans-v0
    """
    from .play.mcp_server import serve_mcp

    serve_mcp(env_id, task, seed, options or (), wrapper or (), unit, port, runs, name)


def edit(
    path: Annotated[Path, typer.Argument(help="a .pptx or .json document")],
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SENTENCE... NAME=VALUE...",
            help="what to change; and the model, as of sweep",
            autocompletion=overrides,
        ),
    ] = None,
    program: Annotated[
        str | None, typer.Option("--program", "-p", help="a file that defines main(document); -: from stdin")
    ] = None,
    calls: Annotated[str | None, typer.Option("--calls", help="a JSON list of operations; -: from stdin")] = None,
    ask: Annotated[
        Path | None, typer.Option("--ask", help="write questions into this folder, and read the replies there")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=".pptx, .json or .png; default: the document itself")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="keep the edit without asking")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="bring back what the document was before the last edit")] = False,
) -> None:
    """Edit a document of your own, as sentences say to a model, or by a program.

    For example: formgym edit deck.pptx "make the headline on slide 3 blue" model=openai_compatible

    Without a sentence it asks for one after the other. Exit status 1 if an edit fails or is not taken; then nothing is
    written.
    """
    from .authoring.edit_document import edit_document, undo_edit

    if undo:
        if words or program or calls or ask or out:
            raise ValueError("--undo stands alone: formgym edit FILE --undo")
        undo_edit(path)
        return
    raise typer.Exit(0 if edit_document(path, words or (), program, calls, ask, out, yes) else 1)


def fill(
    path: Annotated[Path, typer.Argument(help="a PDF, a picture of a page, or the folder of an imported form")],
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE...",
            help="the model, as of sweep; none: facts go to fields of their names",
            autocompletion=overrides,
        ),
    ] = None,
    facts: Annotated[
        str, typer.Option("--facts", help="a text; without a model lines NAME: TEXT, JSON or CSV; -: from stdin")
    ] = "-",
    ask: Annotated[
        Path | None, typer.Option("--ask", help="write questions into this folder, and read the replies there")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help=".pdf, or .png of one page; default: FORM-filled.pdf")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="write it without asking")] = False,
) -> None:
    """Fill in a form of your own from facts.

    For example: formgym fill form.pdf --facts facts.txt model=openai_compatible -o filled.pdf

    It shows what was entered from which fact, what was left empty, and what to look at. Exit status 1 if nothing is
    written.
    """
    from .authoring.model_settings import text_of
    from .authoring.pdf.fill_form import fill_form

    raise typer.Exit(0 if fill_form(path, text_of(facts, "file of facts"), settings or (), ask, out, yes) else 1)


# -- Train -------------------------------------------------------------------------------------------------------------


def train(overrides: Overrides = None) -> None:
    """Train a policy or a model by an experiment.

    For example: formgym train experiment=grounding_reward_web
    """
    from .training.command import train_command

    train_command(overrides or [])


def export(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="an id and settings of it, such as domain=made; or runs, or folders above runs",
            autocompletion=environment_names,
        ),
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
    feedback: Annotated[
        bool, typer.Option("--feedback", help="right and wrong edits with pictures, of an id of DocEdit")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="replay an export and compare; exit status 1 if it differs")
    ] = False,
) -> None:
    """Write targets, conversations, edits or recorded episodes as data.

    For example: formgym export FormGym/Grounding-v0 domain=made --targets 1000 -o data/made
    """
    if check:
        from .exporting.export_check import check_export

        results = [check_export(Path(source)) for source in sources]
        raise typer.Exit(0 if all(results) else 1)
    from .exporting.command import Choices, export

    if out is None:
        raise ValueError("--out is missing: the folder to write")
    export(sources, Choices(out, format_, targets, split, seed, random, images, chat, feedback))


# -- Publish -----------------------------------------------------------------------------------------------------------


def submit(
    folders: Annotated[list[Path], typer.Argument(help="runs, or folders above runs")],
    out: Annotated[Path, typer.Option("--out", "-o", help="the file to write; compressed if it ends in .gz")],
    as_json: Json = False,
) -> None:
    """Write runs as one file that others can check."""
    from .publishing.commands import submit as submit_runs

    submit_runs(folders, out)


def verify(
    path: Annotated[Path, typer.Argument(help="what formgym submit has written, or runs of your own")],
    as_json: Json = False,
) -> None:
    """Replay a submission or runs, and confirm its pixels and scores.

    Exit status 1 if anything differs.
    """
    from .publishing.commands import verify as verify_submission

    raise typer.Exit(0 if verify_submission(path) else 1)
