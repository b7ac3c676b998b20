"""``formgym train experiment=grounding_ladder``: stock learners learn, their runs go on where they were cut off."""

import json

import pytest
from hydra import compose, initialize_config_module
from hydra.utils import instantiate
from sizes import LONG

pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from formgym.experiments.training.grounding.ladder import learner_hits, new_learner, train_ladder
from formgym.experiments.training.grounding.training_results import table_rows

with initialize_config_module("formgym.conf.train", version_base="1.3"):
    ALGORITHMS = instantiate(compose("train", ["experiment=grounding_ladder"]).training.algorithms, _convert_="all")
pytestmark = pytest.mark.usefixtures("one_thread")


def ladder(folder, **changes):
    settings = {"levels": [0], "steps": {0: {"A2C": 256}}, "algorithms": {"A2C": ALGORITHMS["A2C"]}, "seeds": [0]}
    return train_ladder(**settings | changes, run_dir=str(folder))


def test_a_run_has_a_table_with_its_floor_and_goes_on_where_it_was_cut_off(tmp_path):
    folder = ladder(tmp_path / "run")
    rows = {row["policy"]: row for row in table_rows(folder / "table.csv")}
    assert list(rows) == ["random cell", "best constant cell", "A2C"]
    assert 0.05 < float(rows["random cell"]["hits"]) < float(rows["best constant cell"]["hits"]) < 0.5
    assert (folder / "curves.png").stat().st_size > 1000
    result = folder / "level-0/A2C/seed-0/result.json"
    kept = json.loads(result.read_text())
    result.write_text(json.dumps(kept | {"cpu_seconds": 1234.5}))
    ladder(tmp_path / "run")
    assert json.loads(result.read_text())["cpu_seconds"] == 1234.5


def test_a_folder_takes_one_run_and_unknown_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="levels are 0 to 3, not 4"):
        ladder(tmp_path, levels=[4])
    with pytest.raises(ValueError, match="has no algorithm 'PPPO'"):
        ladder(tmp_path, algorithms={"PPPO": {}})
    ladder(tmp_path)
    with pytest.raises(ValueError, match="holds a run with other settings"):
        ladder(tmp_path, split="test")


@LONG
@pytest.mark.parametrize("name", ["PPO", "A2C", "DQN"])
def test_stock_learners_learn_the_first_level(name):
    learner = new_learner(0, name, ALGORITHMS[name], seed=0)
    learner.learn(20_000)
    hits = learner_hits(learner, 0, "dev", 200)
    assert sum(hits) / len(hits) > 0.4
