"""Training of grounding policies: splits, pools, measuring, rewards of web forms, runs, and that cloning learns."""

from collections import Counter

import numpy as np
import pytest
from funsd_fixture import write_fixture
from sizes import ALL, LONG

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("rapidocr")

from formgym.agents.policies.training import TrainingBudget  # noqa: E402
from formgym.envs.core.boxes import centre, contains  # noqa: E402
from formgym.envs.core.grounding import hit  # noqa: E402
from formgym.envs.paper_forms.grounding.grounding_pages import page_splits  # noqa: E402
from formgym.envs.paper_forms.made_pages.page_generator import page as made_page  # noqa: E402
from formgym.envs.web_forms.grounding_env import WebGroundingEnv  # noqa: E402
from formgym.experiments.running.intervals import share_with_interval  # noqa: E402
from formgym.experiments.training.grounding import measuring, pools  # noqa: E402
from formgym.experiments.training.grounding.measuring import Outcome, hit_rates  # noqa: E402
from formgym.experiments.training.grounding.recipes import (  # noqa: E402
    OTHER_PAGES,
    Recipe,
    Tuning,
    clone,
    cloning_recipe,
    fine_tune,
    hits_on,
    new_policy,
    targets_of,
)
from formgym.experiments.training.grounding.rewards import ClickReward  # noqa: E402
from formgym.experiments.training.grounding.training_results import table_rows  # noqa: E402
from formgym.experiments.training.grounding.training_run import train_grounding  # noqa: E402
from formgym.fieldfinder_model.locators import named_locator  # noqa: E402
from formgym.fieldfinder_model.windows.window_pool import WindowPool  # noqa: E402

PAGE = "bug_report/registry/0"
BUDGET = TrainingBudget(steps=100_000)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORMGYM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def made():
    return pools.made_training_pool(40 if ALL else 3, processes=1)


@pytest.fixture(scope="module")
def unseen():
    return pools.made_test_pool("dev", 20 if ALL else 3, processes=1)


@pytest.fixture(scope="module")
def web():
    env = WebGroundingEnv("dev", forms="bug_report", themes="registry")
    return pools.pool_of(pools.environment_pages(env))


# --- pools --------------------------------------------------------------------------------------------------


def test_a_name_is_held_out_by_its_first_part():
    names = [f"Name {number}" for number in range(2000)]
    held = [name for name in names if pools.is_held_out(name)]
    assert 0.16 < len(held) / len(names) < 0.24
    assert all(pools.is_held_out(f" {name.upper()}: | Section {at}") for at, name in enumerate(held))
    assert [pools.is_held_out(name) for name in ("Date of birth", "Phone", "E-mail")] == [False, False, True]


def test_held_out_names_are_not_trained_on(made, unseen):
    assert not any(pools.is_held_out(target.name) for target in made.targets)
    assert any(pools.is_held_out(target.name) for target in unseen.targets)
    assert not {page.name for page in made.pages} & {page.name for page in unseen.pages}


def test_drawn_pages_to_train_on_are_not_measured():
    with pytest.raises(ValueError, match="split is what is measured, dev or test, not 'train'"):
        pools.made_test_pool("train", 10)


@LONG
def test_made_pools_do_not_depend_on_processes(made):
    again = pools.made_training_pool(3, processes=2)
    for one, other in zip(made.pages, again.pages, strict=False):
        assert one.targets == other.targets
        np.testing.assert_array_equal(one.picture, other.picture)


def test_scans_are_split_by_form(tmp_path):
    root = tmp_path / "funsd"
    write_fixture(root)
    assert {page.name for page in pools.scan_pages("test", str(root))} == {"testing_data_0", "testing_data_1"}
    with pytest.raises(ValueError, match="no page of the dev split is in"):
        pools.scan_pages("dev", str(root))
    with pytest.raises(ValueError, match="split must be one of"):
        pools.scan_pages("all", str(root))


@LONG
def test_web_pages_are_read_and_their_labels_found(web):
    env = WebGroundingEnv("dev", forms="bug_report", themes="registry")
    page = env.open_page(PAGE)
    known = [*web.targets, *(target for _, target in web.unmatched)]
    assert sorted((target.name, target.box) for target in known) == sorted((t.name, t.box) for t in page.targets)
    assert len(web.unmatched) < 0.2 * len(page.targets)
    height, width = page.image.shape[:2]
    expected = np.array([target.box for target in web.targets]) / [width, height, width, height]
    np.testing.assert_allclose(web.boxes(np.arange(len(web))), expected)


# --- measuring ----------------------------------------------------------------------------------------------


def test_hit_rates_count_every_group():
    outcomes = [Outcome(f"page {k % 5}", f"Name {k}", "line" if k % 2 else "tick", k % 4 == 0) for k in range(400)]
    rates = hit_rates(outcomes)
    held = [outcome.hit for outcome in outcomes if pools.is_held_out(outcome.name)]
    assert list(rates) == [measuring.ALL, measuring.UNSEEN_NAMES, "tick", "line"]
    assert [(rate.mean, rate.n) for rate in rates.values()] == [
        (0.25, 400),
        (np.mean(held), len(held)),
        (0.5, 200),
        (0.0, 200),
    ]
    assert rates[measuring.ALL].low <= 0.25 <= rates[measuring.ALL].high


def test_a_target_without_a_label_is_a_miss(unseen):
    pages = list(unseen.pages)
    lost = [target._replace(label=None, other=None) for target in pages[0].targets]
    blind = WindowPool([*pages[1:], type(pages[0])(**{**vars(pages[0]), "targets": tuple(lost)})])
    outcomes = measuring.policy_outcomes(new_policy(), blind)
    assert len(outcomes) == len(unseen) + len(unseen.unmatched)
    assert not any(outcome.hit for outcome in outcomes if outcome.page == pages[0].name)


# --- learning -----------------------------------------------------------------------------------------------


@LONG
def test_fine_tuning_leaves_the_first_policy_as_it_is(made):
    policy = new_policy()
    before = torch.cat([parameter.flatten() for parameter in policy.network.parameters()]).clone()
    tuned, curves = fine_tune(policy, Tuning("reward", targets_of(made)), TrainingBudget(steps=1280))
    assert (before == torch.cat([parameter.flatten() for parameter in policy.network.parameters()])).all()
    assert (before != torch.cat([parameter.flatten() for parameter in tuned.network.parameters()])).any()
    assert [steps for steps, _ in curves["reward"]] == [256, 512, 768, 1024, 1280]


@LONG
def test_a_run_measures_every_stage_on_every_pool(made, unseen, tmp_path):
    tuning, tests = Tuning("reward", targets_of(made)), {"made": hits_on(unseen)}
    recipe = Recipe("small", made, [tuning], tests, WebGroundingEnv("dev", forms="bug_report"))
    train_grounding(lambda: recipe, str(tmp_path / "run"), (0,), TrainingBudget(steps=1), TrainingBudget(steps=256))
    rows = table_rows(tmp_path / "run/table.csv")
    assert {(row["policy"], row["pages"]) for row in rows} == {("cloned", "made"), ("reward", "made")}
    whole = [int(row["n"]) for row in rows if row["targets"] == measuring.ALL]
    assert whole == [len(unseen) + len(unseen.unmatched)] * 2


@LONG
def test_training_stops_where_the_dev_split_gets_no_better_and_keeps_the_best(made, unseen):
    cloned, _ = clone(made, TrainingBudget(steps=100), 0)
    unpaid = targets_of(made, lambda index, points: 0 * points[:, 0])
    tuned, curves = fine_tune(cloned, Tuning("none", unpaid), BUDGET, 0, hits_on(unseen))
    scores = [score for _, score in curves["hits on dev"]]
    assert curves["reward"][-1][0] < BUDGET.steps
    assert measuring.measure(tuned, unseen)[measuring.ALL].mean == max(scores)


def test_other_pages_have_names_and_splits():
    with pytest.raises(ValueError, match="others must be of loans, scans, documents, web, not posters"):
        cloning_recipe(others=["loans", "posters"])
    with pytest.raises(ValueError, match="split must be"):
        OTHER_PAGES["documents"]("dev")
    assert all(make("test").task_ids for make in OTHER_PAGES.values())


@LONG
def test_the_score_of_clicks_pays_labels_too(web):
    index = np.arange(len(web))
    pay, boxes = ClickReward(web), web.boxes(index)
    assert pay(index, (boxes[:, :2] + boxes[:, 2:]) / 2).mean() > 0.9
    height, width = web.pages[0].size
    labels = [((t.label[0] + t.label[2]) / 2 / width, (t.label[1] + t.label[3]) / 2 / height) for t in web.targets]
    assert pay(index, np.array(labels)).mean() > 0.5
    assert hit(np.tile(labels, 2), boxes).mean() < 0.1
    assert not pay(index, np.full((len(web), 2), 0.999)).any()


@LONG
def test_cloning_beats_a_box_right_of_the_label(made, unseen):
    """On pages that are new to it, by more than chance gives: the interval of the difference is by page."""
    policy, _ = clone(made, TrainingBudget(steps=200), seed=0)
    names = {page.name for page in unseen.pages}
    pages = [page for page in map(made_page, page_splits().made["dev"][:20]) if page.name in names]
    learned = _hits_by_page(measuring.policy_outcomes(policy, unseen))
    rule = _hits_by_page(_outcomes_of_rule(pages))
    sizes = [len(page.examples) for page in pages]
    gained = share_with_interval([learned[page.name] - rule[page.name] for page in pages], sizes)
    assert gained["mean"] > 0.1
    assert gained["ci95"][0] > 0


def _outcomes_of_rule(pages):
    locator = named_locator("right_of_label")
    for page in pages:
        image = np.repeat(page.gray[:, :, None], 3, axis=2)
        locator.add_words(image, page.words)
        for example in page.examples:
            found = locator.locate(image, example.target)
            is_hit = bool(found) and contains(example.field, *centre(found[0].box))
            yield Outcome(page.name, example.target, example.kind, is_hit)


def _hits_by_page(outcomes):
    hits = Counter()
    for outcome in outcomes:
        hits[outcome.page] += outcome.hit
    return hits
