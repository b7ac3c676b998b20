"""Films of web forms, whose window scrolls and turns pages: every frame is the environment's."""

import base64
import io

import numpy as np
import pytest
from command_line import formgym_command
from PIL import Image
from sizes import LONG, sample

from formgym.experiments.reporting.replay_frames import Pages, opened, replay_frames
from formgym.experiments.running.rollout import replay
from formgym.experiments.running.run_folder import RunFolder


@pytest.fixture(scope="module", params=sample(["oracle", "random"], 1))
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("film")
    command = [
        "sweep",
        "env=formfactory",
        "form=insurance_claim",
        f"agent={request.param}",
        "episodes=2",
        "run_dir=run",
    ]
    assert formgym_command(*command, cwd=folder).returncode == 0
    return RunFolder(folder / "run").read()


def pixels(picture):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"))


@LONG
def test_patches_give_every_frame_of_a_page_that_scrolls(run):
    env, other = opened(run), opened(run)
    for episode in run.episodes:
        pages = Pages()
        shown = replay_frames(env, episode, pages)
        assert shown.faithful
        frame = pixels(pages.by_digest[shown.first]).copy()
        backgrounds = []
        for step, moment in zip(shown.reel["steps"], replay(other, episode), strict=True):
            for patch in step["patches"]:
                x, y, width, height = patch["rect"]
                frame[y : y + height, x : x + width] = pixels(patch["picture"])
            assert np.array_equal(frame, moment.page)
            if not any(other.state.background is known for known in backgrounds):
                backgrounds.append(other.state.background)
        assert len(backgrounds) > 1 or run.summary["agent"] != "oracle"
