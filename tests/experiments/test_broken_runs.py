"""What can go wrong around a run: a sentence that names the file, and nothing that was recorded is lost."""

import os
import resource
import subprocess
import sys

import pytest
from command_line import COMMAND, formgym_command
from sizes import LONG

from formgym.envs.core.files import atomic_write
from formgym.experiments.running.episodes import EpisodeFiles, episode_writer, write_episode
from formgym.experiments.running.run_folder import RunFolder
from formgym.experiments.running.sweep import sweep


def _evaluate(folder, *overrides, max_file_size=None):
    if max_file_size is None:
        return formgym_command("sweep", *overrides, cwd=folder)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_size, max_file_size))

    return subprocess.run(
        [*COMMAND, "sweep", *overrides], cwd=folder, capture_output=True, text=True, timeout=120, preexec_fn=limit
    )


def _refused(done, *words):
    assert done.returncode == 2, done
    assert done.stderr.startswith("formgym: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stdout
    for word in words:
        assert word in done.stderr


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The files of a run of four episodes."""
    folder = tmp_path_factory.mktemp("finished")
    sweep(["agent=noop", "episodes=4", f"run_dir={folder / 'run'}"])
    return {path.name: path.read_bytes() for path in (folder / "run").iterdir()}


@pytest.fixture
def run(finished, tmp_path):
    """A copy of it."""
    (tmp_path / "run").mkdir()
    for name, content in finished.items():
        (tmp_path / "run" / name).write_bytes(content)
    return tmp_path / "run"


def _contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("garbage", [b"garbage", b"", b"{}", b"\x00\xff", b'{"index": 1}', b"[]"])
def test_a_garbage_line_is_named(run, garbage):
    path = run / "episodes.jsonl"
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:2], garbage, *lines[2:], b""]))
    with pytest.raises(ValueError, match=r"run/episodes.jsonl, line 3 is no episode: [^\n]+$"):
        RunFolder(run).read()


DESCRIPTIONS = [b"{", b"\xff\x00", b"[1]", b"3", b"", b"{}", b'{"version": "1", "requested": 4, "spec": {"env": 3}}']


@pytest.mark.parametrize("garbage", DESCRIPTIONS)
def test_a_garbage_description_is_named(run, garbage):
    (run / "run.json").write_bytes(garbage)
    with pytest.raises(ValueError, match=r"run/run.json is no description of a run: [^\n]+$"):
        RunFolder(run).read()


@pytest.mark.parametrize("name", ["run.json", "episodes.jsonl"])
def test_a_broken_run_is_left_alone(run, name):
    with (run / name).open("ab") as file:
        file.write(b"\n}garbage\n")
    before = _contents(run)
    _refused(_evaluate(run.parent, "agent=noop", "episodes=4", "run_dir=run", "resume=true"), f"run/{name}")
    assert _contents(run) == before


@LONG
def test_a_full_disk_ends_a_run_in_a_sentence_and_loses_nothing(run, tmp_path):
    whole = RunFolder(run).read()
    size = (run / "episodes.jsonl").stat().st_size
    arguments = ["agent=noop", "episodes=4", "run_dir=full"]
    done = _evaluate(tmp_path, *arguments, max_file_size=size - 100)
    _refused(done, "full/episodes.jsonl: File too large", "run_dir=full resume=true")
    kept = list(EpisodeFiles(tmp_path / "full" / "episodes.jsonl"))
    assert [episode.index for episode in kept] == [0, 1, 2]
    assert (tmp_path / "full" / "episodes.jsonl").read_bytes().endswith(b"\n")
    assert RunFolder(tmp_path / "full").read().summary["episodes"] == 3
    assert not list((tmp_path / "full").glob("*.part"))
    assert _evaluate(tmp_path, *arguments, "resume=true").returncode == 0
    resumed = RunFolder(tmp_path / "full").read()
    assert [(e.task, e.page_sha256) for e in resumed.episodes] == [(e.task, e.page_sha256) for e in whole.episodes]


def test_a_disk_that_is_full_from_the_beginning_keeps_nothing(tmp_path):
    done = _evaluate(tmp_path, "agent=noop", "episodes=1", "run_dir=a/full", max_file_size=10)
    _refused(done, "File too large", "a/full/")
    assert list(tmp_path.iterdir()) == []


@LONG
def test_a_file_in_place_of_a_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    _refused(_evaluate(tmp_path, "agent=noop", "episodes=1", "run_dir=file/run"), "file")
    _refused(_evaluate(tmp_path, "agent=noop", "episodes=1", "run_dir=file"), "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@LONG
@pytest.mark.parametrize("override", ["episodes=0", "resume=true"])
def test_a_run_that_cannot_begin_leaves_a_folder_as_it_was(tmp_path, override):
    (tmp_path / "mine").mkdir()
    assert _evaluate(tmp_path, override, "run_dir=mine").returncode == 2
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


def test_a_logger_that_cannot_begin_leaves_no_folder(tmp_path):
    (tmp_path / "wandb.py").write_text("raise ImportError('not installed')\n")
    done = _evaluate(tmp_path, "logger=wandb", "agent=noop", "episodes=1", "run_dir=a/run")
    _refused(done, "pip install wandb")
    assert not (tmp_path / "a").exists()


def test_episodes_without_a_config_are_not_mixed_with_new_ones(run):
    (run / "run.json").unlink()
    episodes = (run / "episodes.jsonl").read_bytes()
    _refused(_evaluate(run.parent, "agent=oracle", "run_dir=run"), "run holds episodes but no run.json")
    assert (run / "episodes.jsonl").read_bytes() == episodes


def test_a_last_line_without_its_end_is_kept(run):
    path = run / "episodes.jsonl"
    before = path.read_bytes()
    path.write_bytes(before.removesuffix(b"\n"))
    with episode_writer(path):
        pass
    assert path.read_bytes() == before


def test_a_lock_on_a_removed_file_is_none(tmp_path, run):
    path = tmp_path / "episodes.jsonl"
    episode = EpisodeFiles(run / "episodes.jsonl")[0]
    with episode_writer(path) as file:
        path.unlink()
        with episode_writer(path) as other:
            write_episode(other, episode)
        write_episode(file, episode)
    assert list(EpisodeFiles(path)) == [episode]


def test_a_file_that_cannot_be_written_whole_leaves_no_part(tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    code = (
        "from pathlib import Path; from formgym.envs.core.files import atomic_write\n"
        "try: atomic_write(Path('a.json'), b'x' * 1000)\n"
        "except OSError as error: print(error.filename, error.strerror)"
    )
    atomic_write(tmp_path / "a.json", b"old")
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited, env=dict(os.environ)
    )
    assert done.stdout == "a.json File too large\n", done
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
