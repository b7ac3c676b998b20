"""The secret of a private test split stays out of run directories; runs are replayed and resumed with it."""

import os

import pytest
from command_line import formgym_command
from hydra import compose, initialize_config_module
from sizes import LONG

from formgym.experiments.running.run_folder import find_runs
from formgym.experiments.running.run_spec import VARIABLE, RunSpec, secret_hash, with_hash, with_secret
from formgym.experiments.running.sweep import run_name

SECRET = 8217364509


def test_a_hash_stands_for_the_secret_and_is_taken_back_by_it(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    hidden = with_hash({"split": "train", "secret": SECRET})
    assert hidden == {"split": "train", "secret": secret_hash(str(SECRET))} == with_hash(hidden)
    with pytest.raises(ValueError, match=VARIABLE):
        with_secret(hidden)
    monkeypatch.setenv(VARIABLE, str(SECRET))
    assert with_secret(hidden) == {"split": "train", "secret": SECRET}
    for settings in ({"secret": 0}, {"secret": None}, {}):
        assert with_hash(settings) == with_secret(settings) == settings


def test_names_of_runs_do_not_depend_on_the_secret_in_the_open():
    names = {run_name([f"env.secret={secret}"]) for secret in (1, 2, 1)}
    assert len(names) == 2
    assert all(name.startswith("env.secret-private-") for name in names)


@LONG
def test_no_file_of_a_sweep_holds_the_secret(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    sweep = ["env=formgym/auto_loans_text", "env.split=train", f"env.secret={SECRET}"]
    sweep += ["agent=noop,random", "episodes=1"]
    done = [formgym_command("sweep", *sweep, "run_dir=sweep", *more, cwd=tmp_path) for more in ((), ("resume=true",))]
    assert [one.returncode for one in done] == [0, 0], done
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 5
    assert not [path for path in written if str(SECRET).encode() in path.read_bytes() or str(SECRET) in str(path)]
    run, _ = find_runs(tmp_path)
    with pytest.raises(ValueError, match="private test split"):
        run.make_env()
    again = "sweep", *sweep[:2], "agent=noop", "episodes=1", f"run_dir={run.folder}", "resume=true"
    again += (f"env.secret={secret_hash(str(SECRET))}",)
    refused = formgym_command(*again, cwd=tmp_path)
    assert refused.returncode == 2
    assert VARIABLE in refused.stderr
    resumed = formgym_command(*again, cwd=tmp_path, env=os.environ | {VARIABLE: str(SECRET)})
    assert resumed.returncode == 0


def test_records_name_variables_and_leave_keys_out(monkeypatch):
    monkeypatch.setenv("NOTE_OF_MINE", "quite private words")
    extra = "+model.extra={api_key: a1b2c3d4e5, user: '${oc.env:NOTE_OF_MINE}', top_k: 5}"
    server = "model.base_url=http://localhost:1/v1"
    with initialize_config_module("formgym.conf", version_base="1.3"):
        given = ["agent=vlm", "model=openai_compatible", server, extra]
        config = compose("sweep", given, return_hydra_config=True)
        spec = RunSpec.from_hydra(config, config.hydra)
    assert spec.model["extra"] == {"api_key": "a1b2c3d4e5", "user": "quite private words", "top_k": 5}
    recorded = spec.public().model_dump(mode="json")
    assert recorded["model"]["extra"] == {"api_key": "removed", "user": "${oc.env:NOTE_OF_MINE}", "top_k": 5}
    assert recorded["model"]["api_key_env"] == "OPENAI_API_KEY"
    assert spec.is_same_run(spec)
