"""What all tests share: where data is, and one environment of every id."""

import os
from pathlib import Path

import gymnasium as gym
import pytest

import formgym  # noqa: F401  (registers the environments)
from formgym.envs.registration import ids

# A folder `shared/data` beside the checkout is used as if FORMGYM_DATA named it.
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if "FORMGYM_DATA" not in os.environ and _BESIDE.is_dir():
    os.environ["FORMGYM_DATA"] = str(_BESIDE)


@pytest.fixture(scope="session")
def funsd_root(tmp_path_factory):
    """A tiny made data set in FUNSD's layout."""
    from funsd_fixture import write_fixture

    root = tmp_path_factory.mktemp("funsd")
    write_fixture(root)
    return root


@pytest.fixture(scope="session")
def arguments(funsd_root):
    """What each id must be made with in a test: the made data where it needs a user's own."""
    return {env_id: {"root": str(funsd_root)} if "FUNSD" in env_id else {} for env_id in ids()}


@pytest.fixture(params=ids())
def env_id(request):
    return request.param


@pytest.fixture
def env(env_id, arguments):
    env = gym.make(env_id, **arguments[env_id])
    yield env
    env.close()
