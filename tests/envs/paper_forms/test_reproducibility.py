"""What is made from a seed is the same in a process with other hashes, after other random numbers, and in threads."""

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sizes import ALL

from formgym.envs.paper_forms.accounting.generator.database_generator import make_database
from formgym.envs.paper_forms.accounting.generator.database_schema import sqlite_image
from formgym.envs.paper_forms.persona import persona
from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.paper_forms.scans.scan_pages import scan_facts


def _database(seed):
    database = make_database(seed)
    return repr((database.tables, database.cases)), hashlib.sha256(sqlite_image(database.tables)).hexdigest()


def _scan(seed):
    env = ScansEnv(split="train", secret=3)
    observation, info = env.reset(seed=seed)
    return info["task"], hashlib.sha256(observation["page"].tobytes()).hexdigest(), observation["source"]


MADE = {
    "persona": lambda seed: persona(seed, 5).root,
    "database": _database,
    # The cities of Italy were once those of the order of a set.
    "facts": lambda seed: scan_facts(["person_1", "company", "street", "city", "city_1"], "it", seed),
} | ({"scan": _scan} if ALL else {})


def made():
    """What is made, as JSON."""
    return json.loads(json.dumps({name: make(9) for name, make in MADE.items()}))


def test_a_seed_makes_the_same_in_another_process():
    code = "import json; from test_reproducibility import made; print(json.dumps(made()))"
    path = [str(Path(__file__).parent), *sys.path]
    environment = {"PYTHONHASHSEED": "77", "PYTHONPATH": ":".join(path)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(result.stdout) == made()


@pytest.mark.parametrize("name", ["persona", "facts"])
def test_a_seed_makes_the_same_in_threads(name):
    make, seeds = MADE[name], range(20)
    alone = [make(seed) for seed in seeds]
    np.random.seed(3)  # noqa: NPY002
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(make, seeds)) == alone
