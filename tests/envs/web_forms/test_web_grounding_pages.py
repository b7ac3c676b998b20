"""The pages of grounding on web forms: whole, with every control in sight, on one ground."""

import numpy as np
import pytest
from sizes import sample

from formgym.envs.web_forms.grounding_env import WebGroundingEnv

FORMS = ("bug_report", "rental_application")


@pytest.mark.parametrize("theme", sample(["night", "clinic", "registry"], 1))
def test_every_control_is_in_sight(theme):
    env = WebGroundingEnv("dev", forms=FORMS, themes=theme)
    for task_id in env.task_ids:
        page = env.open_page(task_id)
        for target in page.targets:
            left, top, right, bottom = (int(edge) for edge in target.box)
            around = page.image[max(top - 3, 0) : bottom + 3, max(left - 3, 0) : right + 3].reshape(-1, 3)
            assert len(np.unique(around, axis=0)) > 1, (task_id, target.name)


def test_below_a_short_page_is_its_ground():
    env = WebGroundingEnv("dev", forms="bug_report", themes="registry")
    image = env.open_page("bug_report/registry/0").image
    colours, counts = np.unique(image[:1000].reshape(-1, 3), axis=0, return_counts=True)
    assert (image[-1] == colours[counts.argmax()]).all()
