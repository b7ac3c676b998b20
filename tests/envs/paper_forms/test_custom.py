"""Forms of one's own: several pages, answers of one's own, and what is said of folders that are wrong."""

import copy
import json

import gymnasium as gym
import numpy as np
import pytest
from custom_form_fixture import GOLD, SIZES, write_form

from formgym.agents.models.model import ImageBlock, TextBlock
from formgym.agents.session import Session
from formgym.envs.core.painting import DESK
from formgym.envs.paper_forms.custom.env import CustomEnv
from formgym.envs.paper_forms.custom.gold import MAX_TEXT
from formgym.envs.paper_forms.env import AutoLoansEnv
from formgym.envs.paper_forms.paged_form import PagedForm
from formgym.wrappers import FieldFinder


@pytest.fixture
def folder(tmp_path):
    return write_form(tmp_path / "membership")


def change(folder, edit):
    """Rewrite ``gold.json`` by ``edit(tasks)``."""
    gold = copy.deepcopy(GOLD)
    edit(gold["tasks"])
    (folder / "gold.json").write_text(json.dumps(gold))


def step(env, tool, **arguments):
    observation, reward, _, _, info = env.step(env.action_space.from_call({"tool": tool, **arguments}))
    return observation, reward, info


def test_pages_are_turned_and_scored_as_one_form(folder):
    env = CustomEnv(str(folder))
    observation, info = env.reset(options={"task": "ann"})
    first = observation["page"]
    assert observation["source"].startswith("Page 1 of 2.\n\nAnn Lee, born")
    observation, _, info = step(env, "turn_page", page=2)
    assert (info["valid"], info["feedback"]) == (True, "Page 2 of 2 is shown.")
    assert observation["source"].startswith("Page 2 of 2.\n\nAnn Lee, born")
    (_, _), (width, height) = SIZES
    assert (observation["page"][height:, :400] == DESK).all()
    assert (observation["page"][:height, width:400] == DESK).all()
    _, reward, _ = step(env, "place_text", x=170 / 400, y=55 / 480, text="Ann Lee")
    assert reward == pytest.approx(1 / 7)
    second = env.page()
    back = step(env, "turn_page", page=1)[0]["page"]
    assert np.array_equal(back, first)
    assert np.array_equal(step(env, "turn_page", page=2)[0]["page"], second)
    _, _, info = step(env, "delete_text", x=170 / 400, y=55 / 480)
    assert info["score"]["field_accuracy"] == 0
    assert not step(env, "turn_page", page=3)[2]["valid"]


def test_an_answer_written_on_another_page_is_a_stray_mark(folder):
    env = CustomEnv(str(folder))
    env.reset(options={"task": "ann"})
    for page in (1, 2):
        step(env, "turn_page", page=page)
        _, _, info = step(env, "place_text", x=0.3, y=430 / 480, text="Ann")
    assert info["score"]["incorrect_placements"] == 2
    assert info["score"]["strict_accuracy"] == 0


def test_the_oracle_begins_on_the_page_that_is_shown_and_does_no_page_twice(folder):
    env = CustomEnv(str(folder))
    for task in env.task_ids:
        env.reset(options={"task": task})
        step(env, "turn_page", page=2)
        calls = env.solution()
        assert [call["page"] for call in calls if call["tool"] == "turn_page"] == [1]
        for call in calls:
            *_, info = env.step(env.action_space.from_call(call))
        assert info["score"]["strict_accuracy"] == info["score"]["legible"] == 1


def test_facts_come_from_files_pictures_and_tables(folder):
    env = CustomEnv(str(folder))
    observation, _ = env.reset(options={"task": "bob"})
    assert "Bob Ray takes plan one" in observation["source"]
    assert "its tables: fees(plan, fee)" in observation["source"]
    assert "source page and the database" in observation["goal"]
    # Two pictures side by side, on a page that holds both.
    assert observation["source_page"].shape == observation["page"].shape == (480, 800, 3)
    assert env.paper_sizes == {"page": (480, 400), "source_page": (480, 800)}
    own = env.state.pages[0]
    assert np.array_equal(observation["source_page"][:480, 400:], env.state.background[:480, :400])
    assert own.task.text_size == env.state.pages[1].task.text_size
    found = step(env, "query_sql", query="SELECT fee + 1 FROM fees ORDER BY plan")[2]["feedback"]
    assert found.splitlines() == ["fee + 1", "NULL", "13.5"]
    env.reset(options={"task": "ann"})
    assert not step(env, "query_sql", query="SELECT 1")[2]["valid"]


def test_several_folders_and_forms_of_one_page(folder, tmp_path):
    other = write_form(tmp_path / "other")
    env = CustomEnv([str(folder), str(other)])
    assert env.task_ids == ("membership/ann", "membership/bob", "other/ann", "other/bob")
    with pytest.raises(ValueError, match="called alike"):
        CustomEnv([str(folder), str(write_form(tmp_path / "more" / "membership"))])
    with pytest.raises(ValueError, match="no task 'ann'"):
        env.reset(options={"task": "ann"})


def test_a_form_of_html_is_played_by_its_gold(tmp_path):
    form = AutoLoansEnv(["cedar_valley_vehicle_loan"])
    env = gym.make("FormGym/Custom-v0", form=str(_html_form(tmp_path)))
    observation, _ = env.reset()
    assert "turn_page" not in env.action_space.names
    assert not isinstance(env.unwrapped.state, PagedForm)
    assert observation["page"].shape == form.observation_space["page"].shape
    for call in env.unwrapped.solution():
        *_, info = env.step(env.action_space.from_call(call))
    assert info["score"]["strict_accuracy"] == 1


def _html_form(tmp_path):
    """A shipped form, without the templates of its answers, with a gold of one's own."""
    from formgym.envs.paper_forms.paper_form import form_folder

    folder, shipped = tmp_path / "loan", form_folder("cedar_valley_vehicle_loan")
    folder.mkdir()
    form = json.loads((shipped / "form.json").read_text())
    form["fields"] = [{k: v for k, v in field.items() if k not in ("value", "when")} for field in form["fields"]]
    (folder / "form.json").write_text(json.dumps(form))
    (folder / "page.png").write_bytes((shipped / "page.png").read_bytes())
    texts = [field["name"] for field in form["fields"] if field["matcher"] == "name"]
    gold = {"tasks": {"one": {"source": "It is Ann Lee.", "answers": {texts[0]: "Ann Lee"}}}}
    (folder / "gold.json").write_text(json.dumps(gold))
    return folder


ANSWERS = {
    "incme": ("x", "no such field"),
    "contry": ("Spain", "did you mean country"),
    "country": ("Portugal", "cannot be chosen; there are France, Spain"),
    "born": ("tomorrow", "'tomorrow' is no date"),
    "plan": ("some", "one of one, all, not 'some'"),
    "plan_one": ("maybe", "true or false, not 'maybe'"),
    "code": ("AB12CD345", "does not go into 8 cells"),
    "name": (True, "true and false are for boxes"),
    "again": ([1], "a text, a number, true or false"),
    "remarks": ({"value": "x", "matcher": "fuzzy"}, "unknown matcher 'fuzzy'"),
    "fee": ({"value": "1", "matcher": "checkbox"}, "only a box that is ticked"),
}


@pytest.mark.parametrize("key", ANSWERS)
def test_an_answer_that_does_not_go_with_its_field_is_named(folder, key):
    answer, message = ANSWERS[key]
    change(folder, lambda tasks: tasks["ann"].update(answers={key: answer}))
    with pytest.raises(ValueError, match=message) as error:
        CustomEnv(str(folder))
    assert "ann" in str(error.value)
    assert key in str(error.value)
    assert "gold.json" in str(error.value)


TASKS = {
    "twice": ({"answers": {"name": "A", "member.name": "B"}}, "answered otherwise under another name"),
    "too long": ({"source": "x" * (MAX_TEXT + 1), "answers": {"name": "A"}}, "at most"),
    "nothing": ({"answers": {"name": "", "plan": False, "born": None}}, "asks for nothing"),
    "two ticks": ({"answers": {"plan_one": True, "plan_all": True}}, "both all and one are ticked"),
    "which": ({"answers": {"plan": True}}, "say which is ticked: one, all"),
    "elsewhere": ({"source": {"file": "../bob.txt"}, "answers": {"name": "A"}}, "pattern"),
    "no file": ({"source": {"file": "nobody.txt"}, "answers": {"name": "A"}}, "No such file"),
    "no picture": ({"pictures": ["bob.txt"], "answers": {"name": "A"}}, "cannot identify image"),
    "columns": ({"tables": {"t": "bob.txt"}, "answers": {"name": "A"}}, "must name the columns"),
    "unknown": ({"sauce": "x", "answers": {"name": "A"}}, "Extra inputs"),
}


@pytest.mark.parametrize("case", TASKS)
def test_a_task_that_cannot_be_played_is_named(folder, case):
    task, message = TASKS[case]
    change(folder, lambda tasks: tasks.update(bad=task))
    with pytest.raises(ValueError, match=message) as error:
        CustomEnv(str(folder))
    assert "bad" in str(error.value)


def test_fields_that_show_one_value_are_answered_by_any_of_their_names(folder):
    change(folder, lambda tasks: tasks["bob"]["answers"].pop("again"))
    state = CustomEnv(str(folder)).open_task("bob")
    golds = {target.name: target.gold.value for page in state.pages for target in page.task.targets}
    assert golds["name"] == golds["again"] == "Bob Ray"


def test_all_mistakes_are_named_at_once(folder):
    change(folder, lambda tasks: [task["answers"].update(incme="x", born="?") for task in tasks.values()])
    with pytest.raises(ValueError, match=r"(?s)ann.*born.*ann.*incme.*bob.*born.*bob.*incme") as error:
        CustomEnv(str(folder))
    assert len(str(error.value).splitlines()) == 5


def test_folders_that_hold_no_form_say_how_to_make_one(tmp_path, folder):
    with pytest.raises(ValueError, match=r"form is missing.*formgym import"):
        CustomEnv()
    with pytest.raises(ValueError, match=r"there is no .*form.json; formgym import"):
        CustomEnv(str(tmp_path / "nothing"))
    (folder / "page_2.png").write_bytes((folder / "page_1.png").read_bytes())
    with pytest.raises(ValueError, match=r"page_2\.png has 400 x 480 px"):
        CustomEnv(str(folder))


def test_files_that_have_changed_are_named(folder):
    digest = CustomEnv(str(folder)).data_sha256
    assert CustomEnv(str(folder), sha256=digest).data_sha256 == digest
    (folder / "bob.txt").write_text("Bob Ray takes all plans.")
    with pytest.raises(ValueError, match=rf"membership: the files have changed.*{digest[:12]}"):
        CustomEnv(str(folder), sha256=digest)


def test_fieldfinder_writes_on_the_page_that_is_shown(folder):
    env = FieldFinder(gym.make("FormGym/Custom-v0", form=str(folder)), locator="oracle")
    env.reset(options={"task": "ann"})
    env.step(env.action_space.action("turn_page", page=2))
    *_, info = env.step(env.action_space.action("place_text_at", target="Full name", text="Ann Lee"))
    assert info["score"]["correct_placements"] == 1
    assert env.unwrapped.state.pages[1].entered(0) == "Ann Lee"
    for call in env.solution():
        *_, info = env.step(env.action_space.from_call(call))
    assert info["score"]["strict_accuracy"] == 1


def test_a_model_is_sent_the_source_once_and_the_number_of_each_page(folder):
    with Session("FormGym/Custom-v0", task="ann", form=str(folder)) as session:
        first = [block.text for block in session.open() if isinstance(block, TextBlock)]
        assert any(text.startswith("Page 1 of 2.\n\nAnn Lee, born") for text in first)
        blocks, _ = session.call("turn_page", {"page": 2})
        texts = [block.text for block in blocks if isinstance(block, TextBlock)]
        assert texts[:2] == ["Page 2 of 2 is shown.", "Page 2 of 2."]
        assert not any("Ann Lee" in text for text in texts)
        assert sum(isinstance(block, ImageBlock) for block in blocks) == 1
        for call in session.solution():
            _, done = session.call(call.pop("tool"), call)
        assert done
        assert session.reward == pytest.approx(1)
