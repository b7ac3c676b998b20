"""Plays an environment of each suite with nothing but the core dependencies; ``make wheel`` and a test run it."""

import importlib.abc
import sys

import gymnasium as gym

EXTRAS = """
    cv2 datasets flask inspect_ai markdown_it matplotlib minari onnxruntime openai playwright pptx psutil pyarrow
    rapidocr sacrebleu spellchecker torch transformers
""".split()
ENVIRONMENTS = ("FormGym/AutoLoans-Text-v0", "FormFactory/SurgeryConsent-v0", "DocEdit/MeetingAgenda-v0")


class Absent(importlib.abc.MetaPathFinder):
    """Hides the packages of extras."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main():
    sys.meta_path.insert(0, Absent())
    import formgym  # noqa: F401

    for env_id in ENVIRONMENTS:
        env, total = gym.make(env_id), 0.0
        env.reset(seed=0)
        for call in env.unwrapped.solution():
            _, reward, terminated, _, _ = env.step(env.action_space.from_call(call))
            total += reward
        assert terminated
        assert abs(total - 1) < 1e-9, (env_id, total)
    try:
        env = gym.make("FormFactory/BugReport-v0")
        env.reset(seed=0)
        for call in env.unwrapped.solution():
            env.step(env.action_space.from_call(call))
    except ImportError as error:
        message = str(error)
    assert "pip install 'formgym[formfactory]'" in message
    print("an environment of each suite plays with the core alone")


if __name__ == "__main__":
    main()
