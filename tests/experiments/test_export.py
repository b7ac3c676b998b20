"""``formgym export``: data sets that replay, and say what is wrong with them."""

import io
import json
import shutil
from hashlib import sha256

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

from formgym.agents.baselines import Random
from formgym.experiments.exporting.command import Choices, export, new_folder
from formgym.experiments.exporting.export_check import check_export
from formgym.experiments.exporting.row_files import FORMATS
from formgym.experiments.exporting.rows import COLUMNS
from formgym.experiments.running.episodes import episode_writer, write_episode
from formgym.experiments.running.rollout import run_episode
from formgym.experiments.running.run_folder import RunFolder
from formgym.experiments.running.run_spec import RunSpec
from formgym.wrappers import ActionBatch

WEB, DOCUMENT = "FormFactory/Grounding-v0", "DocEdit/Invoice-v0"
NEEDS = {"parquet": "datasets", "jsonl": None, "minari": "minari"}
SMALL = ["forms=nda", "themes=clinic"]
N = 5


def _needs(form):
    if package := NEEDS[form]:
        pytest.importorskip(package, reason=f"needs {package}: pip install 'formgym[export]'")


def _targets(out, form="jsonl", n=N, sources=(WEB,), **choices):
    _needs(form)
    # Minari compresses raw pixels, which takes the time of a test on pages of full size.
    sources = (*sources, "render_size=[450,256]") if form == "minari" else sources
    export(list(sources), Choices(out, form, n, **{"split": "dev"} | choices))
    return out


def _rows(folder):
    about = json.loads((folder / "export.json").read_text())
    (name,) = about["sha256"]
    return list(FORMATS[about["format"]].read(folder / name, COLUMNS[about["content"]]))


def _changed(folder, change, hide=True):
    """Changes the first row of an export, and hides it from the digests."""
    about = json.loads((folder / "export.json").read_text())
    (name,) = about["sha256"]
    path = folder / name
    if about["format"] == "jsonl":
        first, *others = path.read_text().splitlines(keepends=True)
        path.write_text("".join([json.dumps(json.loads(first) | change) + "\n", *others]))
    else:
        from pyarrow import Table
        from pyarrow.parquet import read_table, write_table

        table = read_table(path)
        first, *others = table.to_pylist()
        write_table(Table.from_pylist([first | change, *others], schema=table.schema), path)
    if hide:
        about["sha256"][name] = sha256(path.read_bytes()).hexdigest()
        (folder / "export.json").write_text(json.dumps(about))


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """A run of two short random episodes, the second one truncated."""
    folder = tmp_path_factory.mktemp("runs") / "random"
    folder.mkdir()
    env = ActionBatch(gym.make(DOCUMENT), max_rounds=1)
    RunFolder(folder).describe(RunSpec(env=DOCUMENT, agent={}, name="random", flow_name="one_shot", episodes=2), 2)
    with episode_writer(folder / "episodes.jsonl") as file:
        for index in range(2):
            write_episode(file, run_episode(env, Random(n_actions=3), index=index, seed=index))
    return folder


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A function that copies an export of a format, which is written once."""
    folders = {}

    def copied(folder, form="jsonl"):
        if form not in folders:
            folders[form] = _targets(tmp_path_factory.mktemp("exported") / form, form)
        return shutil.copytree(folders[form], folder)

    return copied


@pytest.mark.parametrize("form", NEEDS)
def test_targets_replay(tmp_path, capsys, form):
    folder = _targets(tmp_path / "a 'ñ'", form)
    assert check_export(folder)
    assert f"{N} {'steps' if form == 'minari' else 'targets'} replayed" in capsys.readouterr().out


@pytest.mark.parametrize("form", FORMATS)
def test_rows_hold_the_exact_page_once(tmp_path, exported, form):
    folder = exported(tmp_path / "out", form)
    rows = _rows(folder)
    env = gym.make(WEB, split="dev")
    for row in rows:
        page = env.reset(options={"task": row["page"]})[0]["page"]
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(row["image"]))), page)
        target = env.unwrapped.open_page(row["page"]).targets[row["number"]]
        assert (row["target"], row["kind"], row["env"], row["split"]) == (target.name, target.kind, WEB, "dev")
    pictures = {row["image"] for row in rows}
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert len(pictures) < N
    assert size < sum(map(len, pictures)) + 20_000


def test_hugging_face_datasets_load(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    for form in FORMATS:
        folder = _targets(tmp_path / form, form, 2)
        (loaded,) = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache")).values()
        assert [row["image"].size for row in loaded] == [(1024, 1800)] * 2
        assert [row["box"] for row in loaded] == [row["box"] for row in _rows(folder)]


def test_minari_loads_and_recovers_the_environment(tmp_path, monkeypatch):
    _needs("minari")
    import minari

    folder = _targets(tmp_path / "out", "minari", 6, random=0.5, sources=(WEB, "max_targets=4"))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    data = minari.load_dataset("FormFactory/Grounding/dev-v0")
    env = data.recover_environment()
    assert (data.total_steps, env.observation_space) == (6, data.observation_space)
    last = list(data)[-1]
    assert last.terminations[-1] != last.truncations[-1]
    assert set(last.actions) == set(env.action_space.spaces)
    assert 0 < sum(episode.rewards.sum() for episode in data) < data.total_episodes


@pytest.mark.parametrize(
    ("form", "change", "answer"),
    [
        ("parquet", {"box": [0.1, 0.1, 0.2, 0.2]}, "row 1: box is [0.1, 0.1, 0.2, 0.2]"),
        ("jsonl", {"box": [0.1, 0.1, 0.2, 0.2]}, "row 1: box is [0.1, 0.1, 0.2, 0.2]"),
        ("jsonl", {"image_file_name": "images/none.png"}, "images/none.png"),
        ("jsonl", {"number": 99}, "no target 99"),
        ("jsonl", {"page": "nda/clinic/77"}, "row 1 cannot be replayed: no task"),
        ("jsonl", {"env": "FormFactory/Nothing-v0"}, "row 1 cannot be replayed"),
        ("jsonl", {"options": "{"}, "row 1 cannot be replayed"),
        ("jsonl", {"box": "left"}, "row 1: box is left"),
    ],
)
def test_changed_rows_are_named(tmp_path, exported, capsys, form, change, answer):
    folder = exported(tmp_path / "out", form)
    _changed(folder, change)
    assert not check_export(folder)
    assert answer in capsys.readouterr().out


def test_changed_files_are_named(tmp_path, exported, capsys):
    folder = exported(tmp_path / "out")
    _changed(folder, {"seed": 3}, hide=False)
    assert not check_export(folder)
    assert "dev/metadata.jsonl was changed or removed" in capsys.readouterr().out
    path = folder / "dev/metadata.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert not check_export(folder)
    assert f"{N - 1} targets could be replayed of {N}" in capsys.readouterr().out


def test_a_changed_picture_is_named(tmp_path, exported, capsys):
    folder = exported(tmp_path / "out")
    (picture,) = {path for path in folder.rglob("*.png") if path.stem == _rows(folder)[0]["page_sha256"]}
    pixels = np.asarray(Image.open(picture)).copy()
    pixels[0, 0, 0] ^= 1
    Image.fromarray(pixels).save(picture)
    assert not check_export(folder)
    assert "row 1: image is" in capsys.readouterr().out


def test_a_changed_minari_episode_is_named(tmp_path, capsys):
    folder = _targets(tmp_path / "out", "minari", 2, sources=(WEB, "max_targets=1"))
    files = sorted(folder.rglob("*.parquet"))
    files[1].write_bytes(files[0].read_bytes())
    assert not check_export(folder)
    assert "episode 1" in capsys.readouterr().out


@pytest.mark.parametrize("form", FORMATS)
def test_recorded_episodes_replay(tmp_path, capsys, run_folder, form):
    _needs(form)
    export([str(run_folder.parent)], Choices(tmp_path / "out", form))
    assert "do not train on it" in capsys.readouterr().out
    assert check_export(tmp_path / "out")
    rows = _rows(tmp_path / "out")
    recorded = [json.loads(line) for line in (run_folder / "episodes.jsonl").read_text().splitlines()]
    for episode in recorded:
        steps = [row for row in rows if row["episode"] == episode["index"]]
        assert [json.loads(row["action"]) for row in steps] == episode["rounds"][0]["calls"]
        assert [row["feedback"] for row in steps] == episode["rounds"][0]["feedback"]
        assert json.loads(steps[-1]["score"]) == episode["metrics"]
        assert sum(row["reward"] for row in steps) == pytest.approx(episode["reward"])
        assert (steps[-1]["terminated"], steps[-1]["truncated"]) == (
            episode["ended"] == "terminated",
            episode["ended"] == "truncated",
        )


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_chats_replay(tmp_path, capsys, form):
    out = _targets(tmp_path / "chats", form, 2, (DOCUMENT, "unit=thousand", "max_side=400"), split="train", chat=True)
    rows = _rows(out)
    assert [row["split"] for row in rows] == ["train"] * 2
    assert all(json.loads(row["score"])["success"] == 1 for row in rows)
    assert max(Image.open(io.BytesIO(rows[0]["images"][0])).size) == 400
    placeholders = sum(part["type"] == "image" for one in rows[0]["messages"] for part in one["content"])
    assert placeholders == len(rows[0]["images"]) > 1
    assert check_export(out)
    messages = rows[0]["messages"]
    messages[-1]["content"][0]["text"] += " Really."
    _changed(out, {"messages": messages})
    assert not check_export(out)
    assert "row 1: messages is" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_edits_are_right_and_wrong_in_turns_and_replay(tmp_path, form):
    out = _targets(tmp_path / "edits", form, 4, (DOCUMENT,), split="train", feedback=True)
    rows = _rows(out)
    assert [row["is_right"] for row in rows] == [True, False] * 2
    assert all((row["kind"] == "right") == row["is_right"] for row in rows)
    assert all(row["request"] and row["before"] != row["after"] for row in rows)
    assert check_export(out)
    _changed(out, {"kind": "incomplete"})
    assert not check_export(out)


def test_edits_are_of_documents(tmp_path):
    with pytest.raises(ValueError, match="DocEdit"):
        _targets(tmp_path / "edits", "jsonl", 4, (WEB,), feedback=True)
    with pytest.raises(ValueError, match="--feedback goes with"):
        _targets(tmp_path / "edits", "minari", 4, (DOCUMENT,), feedback=True)


def test_chats_of_runs_have_what_was_done(tmp_path, run_folder):
    export([str(run_folder)], Choices(tmp_path / "chats", "jsonl", chat=True))
    rows, steps = _rows(tmp_path / "chats"), tmp_path / "steps"
    export([str(run_folder)], Choices(steps, "jsonl"))
    calls = [one["content"][0]["text"] for row in rows for one in row["messages"] if one["role"] == "assistant"]
    done = [json.loads(row["action"]) for row in _rows(steps)]
    # Coordinates have four decimals at most in chats.
    assert [_rounded(json.loads(call)) for call in calls] == [_rounded(call) for call in done]
    assert check_export(tmp_path / "chats")


def _rounded(call):
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in call.items()}


def test_pictures_can_be_left_out(tmp_path, run_folder):
    export([str(run_folder)], Choices(tmp_path / "out", "jsonl", images=False))
    assert not list(tmp_path.rglob("*.png"))
    assert check_export(tmp_path / "out")


def test_a_score_that_does_not_replay_ends_the_export(tmp_path, run_folder):
    lines = (run_folder / "episodes.jsonl").read_text().splitlines(keepends=True)
    episode = json.loads(lines[0])
    episode["metrics"]["preservation"] = 0.125
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_bytes((run_folder / "run.json").read_bytes())
    (run / "episodes.jsonl").write_text(json.dumps(episode) + "\n" + lines[1])
    with pytest.raises(ValueError, match=r"episode 0: its replay has preservation .*, its record 0\.125"):
        export([str(run)], Choices(tmp_path / "out", "jsonl"))
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("sources", "choices", "answer"),
    [
        (["FormFactory/Groundng-v0"], {}, "did you mean FormFactory/Grounding-v0"),
        (["FormGym/AutoLoans-Text-v0"], {}, "asks for no targets"),
        ([WEB, "them=plain"], {}, "unexpected keyword argument 'them'"),
        ([WEB, "plain"], {}, "'plain' is no setting"),
        ([WEB, "max_targets=x"], {"format": "minari"}, "cannot make"),
        ([WEB, "max_targets=2"], {}, "max_targets"),
        ([WEB], {"random": 0.5}, "--random"),
        ([WEB], {"split": "prod"}, "split must be one of"),
        ([WEB], {"format": "csv"}, "there are parquet, jsonl, minari"),
        (["FormGym/Grounding-v0", "domain=scans"], {}, "no end"),
        (["FormGym/Grounding-v0", "domain=loans", "names=some"], {}, "names must be one of"),
        (["."], {}, "there is no run in ."),
        (["."], {"targets": 3}, "--targets goes with an environment"),
    ],
)
def test_mistakes_are_answered(tmp_path, monkeypatch, sources, choices, answer):
    monkeypatch.chdir(tmp_path)
    _needs(choices.get("format", "jsonl").replace("csv", "jsonl"))
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        export(sources, Choices(tmp_path / "out" / "deep", **{"format": "jsonl"} | choices))
    assert answer in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_more_targets_than_there_are(tmp_path, capsys):
    _targets(tmp_path / "out", n=10**9, sources=(WEB, *SMALL), split="train")
    out = capsys.readouterr().out
    assert "There are only" in out
    assert f"{len(_rows(tmp_path / 'out'))} targets" in out


def test_a_folder_appears_when_it_is_complete(tmp_path):
    with new_folder(tmp_path / "out") as part:
        (part / "half").write_text("")
        assert not (tmp_path / "out").exists()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["half"]
    with pytest.raises(ValueError, match="is there already"), new_folder(tmp_path / "out"):
        pass


def test_the_same_command_writes_the_same_rows(tmp_path):
    lines = [(_targets(tmp_path / name, seed=3) / "dev/metadata.jsonl").read_bytes() for name in "ab"]
    assert lines[0] == lines[1] != (_targets(tmp_path / "c", seed=4) / "dev/metadata.jsonl").read_bytes()
