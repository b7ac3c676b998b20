"""Write an agent of your own and measure it against chance and the oracle.

You learn what an agent is (``reset`` and ``act``), how it sees the page and calls tools, and how ``evaluate_agent``
gives its scores with intervals. Takes about ten seconds.
"""

import re
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

import formgym  # noqa: F401  (registers the environments)
from formgym.agents import Oracle, Random, TaskInfo
from formgym.agents.base import Action
from formgym.experiments.evaluation import evaluate_agent
from formgym.wrappers import GroundTruthCoordinates

FACT = re.compile(r"(?P<owner>applicant|\w+)'s (?P<words>.+?) is (?P<value>.+)\.")
PLACE = re.compile(r"^Applicant: (?P<label>.+): x=(?P<x>[\d.]+), y=(?P<y>[\d.]+)$", re.MULTILINE)


class WordMatcher:
    """Writes each fact about the applicant where the label shares most words with it."""

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; ``task.tools`` has the tools with their JSON schemas."""
        self.tools = task.tools

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """All actions of a round; an agent that looks would use ``observation["page"]``, an image."""
        facts = list(FACT.finditer(observation["source"].partition("The co-applicant")[0]))
        actions = []
        for place in PLACE.finditer(observation["goal"]):
            best = max(facts, key=lambda fact: likeness(fact["words"], place["label"]))
            if likeness(best["words"], place["label"]) > 0.4:
                x, y = float(place["x"]), float(place["y"])
                actions.append(self.tools.action("place_text", x=x, y=y, text=best["value"]))
        return [*actions, self.tools.action("terminate")]


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common."""
    a, b = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    return len(a & b) / len(a | b)


def main() -> None:
    """Print a line for each agent."""
    env = GroundTruthCoordinates(gym.make("FormGym/AutoLoans-Text-v0"))
    for agent in (Random(), WordMatcher(), Oracle()):
        print(f"{type(agent).__name__:12} {evaluate_agent(agent, env, episodes=12)}")


if __name__ == "__main__":
    main()
