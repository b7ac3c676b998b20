"""Bring a web form of your own: capture a page with Chromium, then fill it in and submit it without a browser.

You learn what a page needs (ordinary controls), how its tasks are written, and how clicks and keys are sent. Takes
about half a minute, most of it for the capture; needs Chromium and ``pip install 'formgym[web]'``.
"""

import json
from pathlib import Path

import gymnasium as gym
from PIL import Image

import formgym  # noqa: F401  (registers the environments)
from formgym.experiments.authoring.web.check_custom_form import capture_page

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
TASKS = {
    "title": "Book a bicycle",
    "goal": "Book the bicycle that the message asks for.",
    "fields": {
        "rider": {"label": "Your name", "control": "text", "matcher": "name"},
        "size": {"label": "Size", "control": "select", "matcher": "choice"},
        "day": {"label": "First day", "control": "date", "matcher": "date"},
        "helmet": {"label": "I need a helmet", "control": "checkbox", "matcher": "checkbox"},
    },
    "tasks": [{"name": "1", "source": MESSAGE, "values": VALUES}],
}


def main() -> None:
    """Capture the page, carry out the solution call by call, and print the score."""
    capture = OUT / "bicycle"
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "page.html").write_text(PAGE, encoding="utf-8")
    (OUT / "gold.json").write_text(json.dumps(TASKS), encoding="utf-8")
    capture_page(str(OUT / "page.html"), capture, OUT / "gold.json", episodes=1)

    env = gym.make("FormFactory/Captured-v0", capture=str(capture))
    observation, _ = env.reset(seed=0)
    for call in env.unwrapped.solution():
        # The last page is the one before the form was sent.
        page = observation["page"]
        observation, _, _, _, info = env.step(env.action_space.from_call(call))
        print(call, info["feedback"])
    Image.fromarray(page).save(OUT / "filled.png")
    print(f"success {info['score']['success']:.0f}; the page is {OUT / 'filled.png'}")


if __name__ == "__main__":
    main()
