"""What prompts say of the page, of written text and of the calls allowed is so."""

import re

import gymnasium as gym
import pytest

from formgym.agents.models.model import TextBlock
from formgym.agents.models.scripted import Scripted
from formgym.agents.vlm import VLM
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch


def _rules(env, **options):
    """The system's message of an episode."""
    asked = []

    def script(messages, tools, seed):
        asked.append(messages[0])
        return "def main(document): pass" if "run_program" in env.unwrapped.action_space.names else "{}"

    run_episode(env, VLM(Scripted(script), max_repairs=0, **options), index=0, seed=1)
    return " ".join(block.text for block in asked[0].content if isinstance(block, TextBlock))


def test_a_prompt_names_the_picture_the_calls_and_only_tools_that_there_are(env_id, arguments):
    env = ActionBatch(gym.make(env_id, max_episode_steps=77, **arguments[env_id]), max_rounds=1, max_actions=55)
    rules = _rules(env)
    height, width = env.unwrapped.paper_sizes["page"]
    assert re.search(rf"picture of the (page|window) is {width} pixels wide and {height} pixels high", rules)
    assert "At most 77 calls" in rules
    assert "At most 55 calls of each reply" in rules
    assert ("database" in rules) == ("query_sql" in env.unwrapped.action_space.names)
    assert ("Stray marks count as errors" in rules) == (env_id.startswith("FormGym/") and "Grounding" not in env_id)
    assert ("Text is written in one size" in rules) == (env.unwrapped.state.text_extents is not None)


@pytest.mark.parametrize("max_side", [None, 700])
@pytest.mark.parametrize("name", ["AutoLoans-Text", "AutoLoans-GUI", "Database", "Scans"])
def test_the_sizes_of_text_in_a_prompt_are_those_of_the_picture(name, max_side):
    env = ActionBatch(gym.make(f"FormGym/{name}-v0"), max_rounds=1)
    rules = _rules(env, max_side=max_side)
    state = env.unwrapped.state
    page = state.space.page if name.endswith("GUI") else state
    zoom = state.space.view.percent / 100 if name.endswith("GUI") else 1
    sent = min(1, (max_side or 9_999) / max(state.paper)) * zoom
    samples = re.findall(r'"([^"]+)" is (\d+) pixels wide \((0\.\d+)', rules)
    assert len(samples) == 2
    for text, pixels, share in samples:
        sprite = page.write(0.5, 0.5, text).stamp.sprite
        assert int(pixels) == pytest.approx(sprite.advance * sent, abs=1)
        assert float(share) == pytest.approx(sprite.advance * zoom / state.paper[1], abs=0.002)
    line = re.search(r"a line is (\d+) pixels high \((0\.\d+)", rules)
    assert int(line[1]) == pytest.approx(sprite.line_height * sent, abs=1)
    assert float(line[2]) == pytest.approx(sprite.line_height * zoom / state.paper[0], abs=0.001)
