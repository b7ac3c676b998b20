"""Bring a paper form of your own: write it as HTML, photograph it, fill it in, score it and save the picture.

You learn how fields and their answers are marked in HTML, and how feedback tells what each action did. Takes about ten
seconds; needs Chromium and ``pip install 'formgym[web]'``.
"""

from pathlib import Path

import gymnasium as gym
from PIL import Image

import formgym  # noqa: F401  (registers the environments)
from formgym.experiments.authoring.paper_capture import capture_paper_forms

OUT = Path("out/own_paper_form")
FORM = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Library Card Request</title>
<meta name="description" content="A short form with three texts, a box to tick and a line for the office.">
<style>
body{position:relative;width:816px;height:420px;margin:0;background:#fff;color:#111;font:18px Arimo,sans-serif}
body>*{position:absolute;left:40px;margin:0}
[data-field]{left:240px;width:520px;height:32px;border-bottom:1.5px solid #111}
.tick{width:18px;height:18px;border:1.5px solid #111}
</style></head><body>
<h1 style="top:24px;font-size:30px">Library Card Request</h1>
<p style="top:100px">First name</p>
<div style="top:90px" data-field="first" data-label="First name" data-matcher="name"
 data-value="{{ first_name }}"></div>
<p style="top:160px">Last name</p>
<div style="top:150px" data-field="last" data-label="Last name" data-matcher="name" data-value="{{ last_name }}"></div>
<p style="top:220px">Date of birth</p>
<div style="top:210px" data-field="born" data-label="Date of birth" data-matcher="date"
 data-value="{{ birth_date|us_date }}"></div>
<p style="top:282px">Home</p>
<div class="tick" style="top:280px" data-field="rents" data-label="Rents the home (tick box)" data-matcher="checkbox"
 data-when="residence_type=rent"></div><p style="top:282px;left:272px">rented</p>
<p style="top:350px">Librarian (leave empty)</p>
<div style="top:340px" data-field="librarian" data-label="Librarian" data-matcher="text"></div>
</body></html>"""


def main() -> None:
    """Write, photograph and fill in the form; print the feedback and the oracle's score."""
    folder = OUT / "library_card"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "form.html").write_text(FORM, encoding="utf-8")
    capture_paper_forms([folder], print)

    env = gym.make("FormGym/AutoLoans-Text-v0", forms=[str(folder)])
    observation, _ = env.reset(options={"user": "curtis_pruitt"})
    print(observation["goal"], observation["source"], sep="\n")
    for call in env.unwrapped.solution():
        observation, _, _, _, info = env.step(env.action_space.from_call(call))
        print(info["feedback"])
    Image.fromarray(observation["page"]).save(OUT / "filled.png")
    print(f"strict accuracy {info['score']['strict_accuracy']:.2f}; the page is {OUT / 'filled.png'}")


if __name__ == "__main__":
    main()
