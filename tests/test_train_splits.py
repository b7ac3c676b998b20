"""The endless splits: hundreds of seeds of each environment are solvable, and share nothing with the test split."""

import re
from functools import partial

import gymnasium as gym
import pytest
from invariants import oracle_is_perfect
from sizes import ALL, sample, some

from formgym.assets import ROOT
from formgym.envs.core.tasks import EndlessTasks, page_of
from formgym.envs.documents.grounding.expressions import shipped_expressions
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.shipped import shipped_document, shipped_documents
from formgym.envs.registration import ids, index
from formgym.experiments.running.rollout import bare_env

SEEDS, WEB_SEEDS, DOCUMENT_SEEDS = some(2, 200), some(1, 40), some(1, 8)
ENDLESS = [env_id for env_id in ids() if "secret" in index()["environments"][env_id]["kwargs"]]
OF_EACH_CLASS = sorted({index()["environments"][env_id]["entry_point"]: env_id for env_id in ENDLESS}.values())
LOANS = "FormGym/AutoLoans-Text-v0"
SAMPLE = ENDLESS if ALL else OF_EACH_CLASS


def test_every_environment_of_our_own_data_is_endless():
    own = [env_id for env_id in ids() if index()["environments"][env_id]["licence"] == "MIT"]
    # Splits of grounding on forms share out the shipped ones.
    shared_out = {"FormGym/Grounding-v0", "FormFactory/Grounding-v0"}
    assert [env_id for env_id in own if env_id not in shared_out] == ENDLESS
    assert len(ENDLESS) == 8 + 26 + 54


@pytest.mark.parametrize("env_id", sorted({*OF_EACH_CLASS, *sample(ENDLESS, 3)}))
def test_oracle_is_perfect_and_noop_worthless_on_every_seed(env_id):
    make = partial(bare_env, env_id, split="train", copy=False)
    env = make()
    seeds = range(_seeds(env))
    assert oracle_is_perfect(make, seeds) == f"{len(seeds)} tasks"
    tasks = [_drawn(env, seed) for seed in seeds]
    forms, groups = {page_of(task) for task in tasks}, {page_of(group) for group in env.task_ids.groups}
    assert forms <= groups
    assert len(forms) >= min(len(groups), some(2, 30))


def _drawn(env, seed):
    """The task that a seed draws, which is not opened."""
    gym.Env.reset(env, seed=seed)
    return env.pick_task({})


def _seeds(env):
    """How many seeds are tried: fewer where a class has many environments."""
    if env.spec.id.startswith("FormFactory/") and len(env.forms) == 1:
        return WEB_SEEDS
    if env.spec.id.startswith("DocEdit/"):
        return DOCUMENT_SEEDS if len(env.documents) == 1 else max(SEEDS // 2, 2)
    return SEEDS


@pytest.mark.parametrize("env_id", SAMPLE)
def test_a_task_of_the_train_split_can_be_asked_for_again(env_id):
    train = gym.make(env_id, split="train", copy=False, disable_env_checker=True)
    first, info = train.reset(seed=11)
    page, source = first["page"].copy(), first["source"]
    train.reset(seed=12)
    again, _ = train.reset(options={"task": info["task"]})
    assert (again["page"] == page).all()
    assert again["source"] == source
    assert info["task"] in train.unwrapped.task_ids
    assert isinstance(train.unwrapped.task_ids, EndlessTasks)


@pytest.mark.parametrize("env_id", SAMPLE)
def test_splits_share_no_task_and_a_secret_makes_others(env_id):
    make = partial(gym.make, env_id, disable_env_checker=True)
    test, train, secret = make().unwrapped, make(split="train").unwrapped, make(split="train", secret=10**30).unwrapped
    assert not set(test.task_ids) & {train.task_ids[i] for i in range(some(100, 500))}
    with pytest.raises(ValueError, match="no task"):
        train.reset(options={"task": test.task_ids[0]})
    with pytest.raises(ValueError, match="no task"):
        test.reset(options={"task": train.task_ids[0]})
    tasks = [train.task_ids[i] for i in range(some(2, 5))]
    assert [_golds(train.open_task(task)) for task in tasks] != [_golds(secret.open_task(task)) for task in tasks]
    with pytest.raises(ValueError, match="split must be"):
        make(split="validation")
    # Whoever sets a secret wants a private test, not the public one.
    with pytest.raises(ValueError, match="goes with split='train'"):
        make(secret=7)


def _golds(state):
    return [field.expected for field in state.score().fields]


def test_train_sentences_are_in_other_words():
    test, train = (gym.make(LOANS, split=split).unwrapped for split in ("test", "train"))
    shipped = {line for task in test.task_ids for line in test.open_task(task).source.splitlines()}
    for seed in range(some(10, 100)):
        lines = set(train.reset(seed=seed)[0]["source"].splitlines())
        assert not {line for line in shipped & lines if len(line) > 16}


_PERSON = re.compile(r"[A-Z][a-z]+( [A-Z]\.?)? [A-Z][a-z]+")
_FIXED_SOURCE = "FormGym/Database-v0"
"""Its source explains the database; the facts are in the tables."""


@pytest.mark.parametrize("env_id", sample(OF_EACH_CLASS, 3))
def test_no_values_person_or_sentence_of_the_test_split_is_in_the_train_split(env_id):
    test, train = (gym.make(env_id, split=split, disable_env_checker=True).unwrapped for split in ("test", "train"))
    known = [test.open_task(task) for task in sample(test.task_ids, 20)]
    new = [train.open_task(train.task_ids[37 * i]) for i in range(some(4, 60))]
    shared = _content(known) & _content(new)
    assert {kind for kind, _ in shared} <= ({"sentence"} if env_id == _FIXED_SOURCE else set()), shared


def _content(states):
    """What the two splits may not share: sets of values, names of people, sentences of the sources."""
    found = set()
    for state in states:
        golds = [gold for gold in _golds(state) if gold and not gold.isdecimal()]
        # Few short values may be alike by chance.
        found |= {("values", tuple(golds))} if len(golds) > 5 and len("".join(golds)) > 60 else set()
        found |= {("person", gold) for gold in golds if _PERSON.fullmatch(gold)}
        found |= {("sentence", line) for line in state.source.splitlines() if len(line) > 40}
    return found


def test_test_data_have_a_canary():
    canary = index()["canary"]
    assert re.search(r"formgym canary GUID [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", canary)
    folders = {name.partition("/")[0] for name in index()["files"] if name.endswith("/CANARY.md")}
    assert all(canary in (ROOT / folder / "CANARY.md").read_text(encoding="utf-8") for folder in folders)
    # The other folders hold nothing that a test task is made of: pictures, layouts, weights, code.
    others = {name.partition("/")[0] for name in index()["files"] if "/" in name} - folders
    assert others == {
        *("document_layouts", "document_pictures", "fieldfinder", "grounding"),
        *("web_captures", "web_themes"),
    }


LONG_PHRASE, SHORT_TEXT = 7, 4
"""The words of a phrase that no two people write by chance, and of the shortest text that counts as a whole."""


def _words(text):
    return re.findall(r"[^\W_]+", text.lower())


def _phrases(words, length):
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def _written_phrases():
    """Phrases of the requests and expressions of DocEdit's test part, without those that its documents hold."""
    for name in shipped_documents():
        texts = [request.text for request in frozen_requests(name)]
        texts += [one.text for one in shipped_expressions(name)]
        own = _words(" ".join(element.text for element in shipped_document(name).elements()))
        for words in map(_words, texts):
            length = min(len(words), LONG_PHRASE)
            yield from _phrases(words, length) - _phrases(own, length) if length >= SHORT_TEXT else ()


def test_no_phrase_of_the_written_requests_stands_anywhere_else():
    written = set(_written_phrases())
    lengths = {len(phrase) for phrase in written}
    files = list(ROOT.parent.glob("*.md"))
    for folder in ("agents", "assets/document_requests", "conf", "docs", "envs", "experiments", "tests", "wrappers"):
        files += [path for path in (ROOT.parent / folder).rglob("*.*") if path.parent.name != "test"]
    texts = [path for path in files if path.suffix in (".py", ".md", ".yaml", ".json", ".jinja", ".txt")]
    assert len(texts) > 400
    for path in texts:
        words = _words(path.read_text(encoding="utf-8"))
        assert not written & set().union(*(_phrases(words, length) for length in lengths)), path


def test_form_and_user_can_be_asked_for_in_the_train_split():
    env = gym.make(LOANS, split="train").unwrapped
    _, info = env.reset(options={"form": env.forms[2], "user": 77})
    assert info["task"] == f"{env.forms[2]}/77"


@pytest.mark.parametrize("env_id", OF_EACH_CLASS)
@pytest.mark.parametrize("secret", [-1, 1.5, "abc", None, True, [1], float("nan")])
def test_a_secret_is_a_whole_number(env_id, secret):
    # None once made the train split the test split.
    for split in ("test", "train"):
        with pytest.raises(ValueError, match="secret must be a whole number"):
            gym.make(env_id, split=split, secret=secret)
