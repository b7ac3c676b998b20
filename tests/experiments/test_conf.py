"""Every yaml in conf/ composes and instantiates."""

import re
from inspect import signature
from pathlib import Path

import gymnasium as gym
import pytest
from hydra import compose, initialize_config_module
from hydra.utils import get_method, get_object
from omegaconf import OmegaConf
from sizes import sample

import formgym.wrappers
from formgym.experiments.running.run_spec import build, make
from formgym.experiments.running.sweep import spec_of
from formgym.wrappers.locators import LOCATORS

CONF = Path(formgym.__file__).resolve().parent / "conf"
TRAIN = sorted(path.stem for path in (CONF / "train/experiment").glob("*.yaml"))
FILES = sorted(path.relative_to(CONF).with_suffix("") for path in CONF.rglob("*.yaml") if path.parent != CONF)
FILES = [path for path in FILES if path.parts[0] != "train"]

OTHERS = {"ActionBatch", "SB3VecEnv"}
"""What is in another group, and what goes around vector environments."""
SINGLE = {"grid_point": {"tool": "delete_text"}, "pad_page": {}, "label_window": {"tool": "delete_text"}}
"""Wrappers around an environment that takes one call a step, and the settings with which they fit the default one."""


def _composed(*overrides):
    return spec_of(*overrides)


def test_every_group_is_tested():
    assert {path.parts[0] for path in FILES} == {"env", "agent", "flow", "wrappers", "logger", "experiment", "model"}


@pytest.mark.parametrize("experiment", TRAIN)
def test_every_experiment_of_training_composes_and_can_be_called(experiment):
    with initialize_config_module("formgym.conf.train", version_base="1.3"):
        config = compose("train", overrides=[f"experiment={experiment}", "run_dir=run"])
    training = OmegaConf.to_container(config.training, resolve=True)
    function = get_method(training.pop("_target_"))
    training.pop("_convert_", None)
    signature(function).bind(**training)
    for part in training.values():
        if isinstance(part, dict) and "_target_" in part:
            target = get_object(part.pop("_target_"))
            part.pop("_partial_", None)
            signature(target).bind(**part)


@pytest.fixture
def policy_folder(tmp_path):
    """The weights of a policy that has learned nothing."""
    pytest.importorskip("torch")
    from formgym.fieldfinder_model.windows.window_network import WindowNetwork, save_network

    save_network(WindowNetwork(), tmp_path, {})
    return tmp_path


@pytest.mark.parametrize("file", sample(FILES, 11), ids=str)
def test_every_choice_composes_and_instantiates(file, monkeypatch, data_root, arguments, request):
    monkeypatch.setenv("FORMGYM_DATA", str(data_root))
    group, choice = file.parts[0], "/".join(file.parts[1:])
    custom = {"formgym/custom": "FormGym/Custom-v0", "formfactory/custom": "FormFactory/Custom-v0"}.get(choice)
    own = [f"env.form={arguments[custom]['form']}"] if custom else []
    own += ["env.allow_commands=true", "env.forms=account_opening"] if "formfactory/published" in choice else []
    own += ["env=docedit"] if choice.startswith(("edit_feedback", "docedit_")) else []
    own += ["env.action_mode=program", "env.grounder=texts"] if choice == "docedit_pipeline" else []
    own += ["env=formfactory", "form=nda"] if choice == "control_list" else []
    own += (
        ["document=concert_poster"] if choice.startswith(("edit_feedback", "docedit_")) or choice == "docedit" else []
    )
    own += [f"wrappers.{choice}.{name}={value}" for name, value in SINGLE.get(choice, {}).items()]
    own += ["form=nda"] if choice == "formfactory" else []
    own += [f"agent.path={request.getfixturevalue('policy_folder')}"] if choice == "policy" else []
    own += ["model.base_url=http://localhost:8000/v1"] if choice == "openai_compatible" else []
    own += ["model.replies=[Done.]"] if choice == "scripted" else []
    own += ["agent=vlm"] if group == "model" and choice != "none" else []
    own += ["model.name=mockllm/model"] if choice == "inspect" else []
    own += (
        ["model=scripted", "model.replies=[Done.]"]
        if choice in ("vlm", "docedit_pipeline", "computer_use", "edit_feedback_model")
        else []
    )
    if choice == "label_window":
        request.getfixturevalue("unread_pages")
    spec = _composed(f"{group}={[choice]}" if group == "wrappers" else f"{group}={choice}", *own)
    bare = choice in SINGLE and make(spec.env_id, **spec.env_arguments)
    env = build(spec.wrappers[choice])(env=bare) if bare else spec.make_env()
    try:
        env.reset(seed=0)
        assert isinstance(env, gym.Env)
        assert callable(spec.make_agent().act)
        assert spec.logger is None or callable(build(spec.logger).finish)
    finally:
        env.close()


def test_wrappers_stack_in_their_order():
    env = _composed("wrappers=[sparse_reward,feedback,ruler]").make_env()
    names = [spec.name for spec in env.spec.additional_wrappers]
    assert names == ["ActionBatch", "SparseReward", "Feedback", "Ruler"]


def test_what_takes_one_call_is_inside_of_the_flow():
    env = _composed("wrappers=[sparse_reward,field_queue]", "agent=pointing_random").make_env()
    assert [spec.name for spec in env.spec.additional_wrappers] == ["FieldQueue", "ActionBatch", "SparseReward"]
    assert env.get_wrapper_attr("max_actions") == 1


def test_every_agent_and_wrapper_of_the_house_has_its_yaml():
    baselines = {"noop", "random", "oracle", "tick_everything", "submit_source"}
    pointing = {"policy", *(f"pointing_{name}" for name in ("fieldfinder", "rules", "right_of_label", "random"))}
    known = baselines | pointing | {"rule_based", "vlm", "docedit_pipeline", "computer_use"}
    assert {path.stem for path in (CONF / "agent").glob("*.yaml")} == known
    brought = {"florence", "policy"}  # their weights are their user's
    locators = {f"field_finder_{name}" for name in LOCATORS if name not in brought}
    wrappers = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in set(formgym.wrappers.__all__) - OTHERS}
    assert {path.stem for path in (CONF / "wrappers").glob("*.yaml")} == wrappers | locators | {"edit_feedback_model"}


def test_a_named_locator_is_field_finder_with_another_locator():
    env = _composed("wrappers=[field_finder_noisy_oracle,feedback]", "wrappers.field_finder.options.seed=4").make_env()
    finder = next(spec for spec in env.spec.additional_wrappers if spec.name == "FieldFinder")
    options = {"accuracy": 0.8, "seed": 4}
    assert finder.kwargs == {"locator": "noisy_oracle", "options": options, "points": True, "show": 1}
