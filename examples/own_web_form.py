"""Bring a web form of your own: import a page, write a task for it, then fill it in and submit it in Chromium.

You learn how a page becomes an environment, how its tasks are written, and how clicks and keys are sent. Takes a few
seconds; needs Chromium and ``pip install 'formgym[web]'``.
"""

import json
from pathlib import Path

import gymnasium as gym
from PIL import Image

import formgym  # noqa: F401  (registers the environments)
from formgym.experiments.authoring.web.import_page import import_page

OUT = Path("out/own_web_form")
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Book a bicycle</title>
<style>body{font:18px Arimo,sans-serif;margin:40px;background:#eef3f0} label{display:block;margin:18px 0}</style></head>
<body><h1>Book a bicycle</h1><form>
<label>Your name <input name="rider" required></label>
<label>Size <select name="size"><option>small</option><option>medium</option><option>large</option></select></label>
<label>First day <input type="date" name="day"></label>
<label><input type="checkbox" name="helmet"> I need a helmet</label><button>Book</button></form></body></html>"""
MESSAGE = "Ines Example here: a large one and a helmet for 3 May 2027, please."
VALUES = {"rider": "Ines Example", "size": "large", "day": "2027-05-03", "helmet": True}
TASK = {"name": "1", "source": MESSAGE, "values": VALUES}


def main() -> None:
    """Import the page, write its task, carry out the solution call by call, and print the score."""
    folder = OUT / "bicycle"
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "page.html").write_text(PAGE, encoding="utf-8")
    import_page(str(OUT / "page.html"), folder)
    # The draft has a field for each control of the page; the tasks are for us to write.
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8")) | {"tasks": [TASK]}
    (folder / "gold.json").write_text(json.dumps(gold), encoding="utf-8")

    env = gym.make("FormFactory/Custom-v0", form=str(folder))
    observation, _ = env.reset(seed=0)
    for call in env.unwrapped.solution():
        # The last page is the one before the form was sent.
        page = observation["page"]
        observation, _, _, _, info = env.step(env.action_space.from_call(call))
        print(call, info["feedback"])
    env.close()
    Image.fromarray(page).save(OUT / "filled.png")
    print(f"success {info['score']['success']:.0f}; the page is {OUT / 'filled.png'}")


if __name__ == "__main__":
    main()
