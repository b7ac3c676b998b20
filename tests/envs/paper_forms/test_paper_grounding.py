"""FormGym/Grounding: fields of drawn pages, loan forms, scans and FUNSD by their labels."""

import json

import numpy as np
import pytest
from sizes import LONG, some

from formgym.assets import ROOT
from formgym.envs.core.tasks import EndlessTasks
from formgym.envs.paper_forms.datasets.funsd import FunsdEnv
from formgym.envs.paper_forms.grounding.env import NAMES, PaperGroundingEnv, printed_label
from formgym.envs.paper_forms.grounding.grounding_pages import SPLITS, letters, split_of_name
from formgym.envs.paper_forms.made_pages.page_generator import page as drawn_page

SHIPPED = ("made", "loans", "scans")
N_PAGES = some(5, 100)
FROZEN = json.loads((ROOT / "grounding" / "paper_forms.json").read_text(encoding="utf-8"))


def tasks_of(env, count=N_PAGES):
    """Some tasks, evenly spread; of endless ones the first."""
    if isinstance(env.task_ids, EndlessTasks):
        return [env.task_ids[i] for i in range(count)]
    return env.task_ids[:: -(-len(env.task_ids) // count)]


def names_in(env, tasks):
    return {letters(target.name) for task in tasks for target in env.open_page(task).targets}


@pytest.mark.parametrize("domain", SHIPPED)
@pytest.mark.parametrize("split", SPLITS)
def test_targets_lie_on_the_page_under_different_names(domain, split):
    env = PaperGroundingEnv(domain, split)
    for task in tasks_of(env):
        page = env.open_page(task)
        assert page.image.shape == env.observation_space["page"].shape
        names = [target.name.lower() for target in page.targets]
        assert len(set(names)) == len(names)
        assert len(names) or split == "train"
        boxes = page.boxes()
        assert ((boxes >= 0) & (boxes <= 1)).all()
        assert (boxes[:, :2] < boxes[:, 2:]).all()


@LONG
@pytest.mark.parametrize("domain", SHIPPED)
def test_splits_share_no_form_page_or_name(domain):
    envs = {split: PaperGroundingEnv(domain, split) for split in SPLITS}
    tasks = {split: set(tasks_of(env, some(12, 200))) for split, env in envs.items()}
    names = {split: names_in(env, tasks[split]) for split, env in envs.items()}
    for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert not tasks[one] & tasks[other]
        assert not names[one] & names[other]
        assert not set(FROZEN[domain].get(one, ())) & set(FROZEN[domain].get(other, ()))
        with pytest.raises(ValueError, match="no task"):
            envs[one].open_page(next(iter(tasks[other])))


@pytest.mark.parametrize("domain", SHIPPED)
@pytest.mark.parametrize("split", SPLITS)
def test_the_solution_is_right_and_a_page_can_be_asked_for_again(domain, split):
    env = PaperGroundingEnv(domain, split, max_targets=4)
    observation, info = env.reset(seed=3)
    first = observation["page"], env.state.goal
    total = 0.0
    for call in env.solution():
        total += env.step(env.action_space.from_call(call))[1]
    assert total == pytest.approx(1)
    again, _ = PaperGroundingEnv(domain, split, max_targets=4).reset(options={"task": info["task"]})
    assert np.array_equal(again["page"], first[0])
    assert again["goal"] == first[1]


def test_every_tenth_name_of_made_pages_is_of_the_test_split():
    splits = [split_of_name(f"name {i}") for i in range(3000)]
    assert [round(splits.count(split) / 300) for split in SPLITS] == [8, 1, 1]
    assert split_of_name("Phone No. | Buyer") == split_of_name("phone no")


def test_pages_of_dev_and_test_are_those_of_their_seeds():
    env = PaperGroundingEnv("made", "dev")
    task = env.task_ids[0]
    drawn = drawn_page(int(task.removeprefix("made/dev_")))
    height, width = drawn.gray.shape
    page = env.open_page(task)
    assert (page.image[:height, :width] == drawn.gray[:, :, None]).all()
    fields = {example.target: example.field for example in drawn.examples}
    assert all(fields[target.name] == target.box for target in page.targets)


def test_secrets_make_other_pages():
    pages = [PaperGroundingEnv("made", "train", secret=secret).open_page("made/1000000").image for secret in (0, 0, 5)]
    assert np.array_equal(pages[0], pages[1])
    assert not np.array_equal(pages[0], pages[2])
    assert not np.array_equal(pages[0], PaperGroundingEnv("made", "test").open_page("made/test_1000000").image)


def test_names_are_unique_or_not_and_twins_are_in_one_row():
    env = {names: PaperGroundingEnv("loans", "test", names=names) for names in NAMES}
    task = "loans/old_mill_savings_auto"
    targets = {names: env[names].open_page(task).targets for names in NAMES}
    assert set(targets["all"]) == {*targets["unique"], *targets["duplicate"]}
    assert not {*targets["unique"]} & {*targets["duplicate"]}
    assert {*targets["twins"]} < {*targets["duplicate"]}
    labels = [printed_label(target.name) for target in targets["all"]]
    assert {labels.count(printed_label(target.name)) for target in targets["unique"]} == {1}
    assert min(labels.count(printed_label(target.name)) for target in targets["duplicate"]) == 2
    assert "Borrower: job title" in {target.name for target in targets["duplicate"]}
    assert "Borrower: job title" not in {target.name for target in targets["twins"]}


def test_tasks_have_targets_of_the_names_that_are_asked_for():
    env = PaperGroundingEnv("loans", "dev", names="twins")
    assert all(env.open_page(task).targets for task in env.task_ids)
    env = PaperGroundingEnv("made", "train", names="twins", max_targets=1)
    _, info = env.reset(seed=0)
    assert env.open_page(info["task"].split("#")[0]).targets


def test_empty_fields_alone_are_searched_on_scans():
    env = PaperGroundingEnv("scans", "test")
    assert {len(env.open_page(task).targets) for task in tasks_of(env)} <= {2, 3, 4}
    scans = PaperGroundingEnv("scans", "train")._pages
    counts = {len(scans.targets(f"en_invoice/{seed}")) for seed in range(40)}
    assert len(counts) > 5


def test_answers_of_funsd_are_erased_and_searched(data_root):
    arguments = {"domain": "funsd", "root": str(data_root / "funsd")}
    env, erased = PaperGroundingEnv(split="test", **arguments), FunsdEnv(arguments["root"], answers="all")
    for task in env.task_ids:
        page, state = env.open_page(task), erased.open_task(task.removeprefix("funsd/"))
        assert np.array_equal(page.image, state.background)
        assert {target.box for target in page.targets} <= {target.blank for target in state.task.targets}
        assert page.targets
    train = {letters(t.name) for e in [PaperGroundingEnv(split="train", **arguments)] for n in e.task_ids
             for t in e.open_page(n).targets}  # fmt: skip
    assert not train & names_in(env, env.task_ids)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": "faxes"}, "domain must be one of"),
        ({"split": "validation"}, "split must be one of"),
        ({"names": "odd"}, "names must be one of"),
        ({"secret": 3}, "goes with split='train'"),
        ({"secret": 3, "split": "train"}, "has none"),
        ({"domain": "funsd", "root": "/nonexistent"}, "FUNSD"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        PaperGroundingEnv(**arguments)
