"""Settings: ids and classes of one's own are choices, and what is mistyped is answered in one line."""

import pytest
from command_line import formgym_command
from hydra import compose, initialize_config_module
from sizes import FIRST_OF_EACH_CLASS, sample, some

from formgym.envs.registration import ids, index
from formgym.experiments.running.command_line import config_errors, register_choices, suggestion, with_names_listed
from formgym.experiments.running.sweep import spec_of
from formgym.experiments.running.wandb_logger import WandbLogger

TYPOS = [
    ("env=formgym/auto_loan_text", "did you mean formgym/auto_loans_text"),
    ("env=auto_loans_text", "did you mean formgym/auto_loans_text"),
    ("env=FormGym/AutoLoan-Text-v0", "did you mean FormGym/AutoLoans-Text-v0"),
    ("agent=orcale", "did you mean oracle?"),
    ("wrappers=[rulr,feedback]", "did you mean ruler?"),
    ("experiment=locator", "did you mean locator_ablation?"),
    ("hydra/launcher=qqq", "there are basic"),
    ("seeds=3", "did you mean seed?"),
    ("agnet=oracle", "did you mean agent?"),
    ("experimnt=locator_ablation", "did you mean experiment?"),
    ("flow.max_round=3", "did you mean max_rounds"),
    ("env.rendr_size=3", "did you mean render_size?"),
    ("wrappers.rulr.x=3", "there are none"),
    ("agent", "write NAME=VALUE"),
    ("agent=[", "write NAME=VALUE"),
    ("+agent=noop", "Multiple values for agent"),
]
REFUSED = [
    ("agent=orcale", "did you mean oracle?"),
    ("env=docedit document=invoce", "there is no document 'invoce'; did you mean invoice?"),
    ("env=formfactory", "form= is missing, such as form="),
    ("-m env=formfactory form=glob(zz*)", "no form matches glob(zz*); there are "),
    ("-m agent=noop,orcale", "did you mean oracle?"),
    ("seeds=3", "did you mean seed?"),
    ("resume=ture", "resume must be true or false"),
    ("resume=true retry=error", "retry must be errors or null"),
    ("retry=errors", "add resume=true"),
    ("~agent", "agent"),
    ("agent._target_=mine.Mine", "No module named 'mine'"),
    ("episodes=0", "episodes must be at least 1"),
    ("env.id=Nope/Nope-v0", "Nope"),
    ("env.render_size=[10,10]", "render_size"),
    ("resume=true", "no run in a/run to resume"),
]


@pytest.mark.parametrize(("override", "words"), TYPOS)
def test_a_typo_is_explained_in_one_line(override, words):
    with (
        initialize_config_module("formgym.conf", version_base="1.3"),
        pytest.raises(ValueError, match=r"^[^\n]+$") as caught,
        config_errors(),
    ):
        compose("sweep", overrides=[override], return_hydra_config=True)
    assert words in str(caught.value)


@pytest.mark.parametrize(("overrides", "words"), sample(REFUSED, 2))
def test_a_typo_on_the_command_line_is_refused_in_one_line(tmp_path, overrides, words):
    done = formgym_command("sweep", "episodes=1", *overrides.split(), "run_dir=a/run", cwd=tmp_path)
    assert done.returncode == 2, done
    assert words in done.stderr
    assert done.stderr.startswith("formgym: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_typo_in_a_loggers_mode_is_explained():
    with pytest.raises(ValueError, match="did you mean offline"):
        WandbLogger(mode="offlin")


def test_suggestions_are_close_or_all_there_is():
    assert suggestion("NOOP", ["noop", "oracle"]) == "did you mean noop?"
    assert suggestion("zzz", ["noop", "oracle"]) == "there are noop, oracle"
    assert suggestion("zzz", []) == "there are none"
    assert suggestion("zzz", [f"a{i}" for i in range(20)]).endswith(" and 8 more")


# -- Choices without a file --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", sample(some(FIRST_OF_EACH_CLASS, ids()), 6))
def test_an_id_is_a_choice_with_the_settings_of_its_environment(env_id):
    own = ["env.form=null"] if env_id.endswith("/Custom-v0") else []
    settings = spec_of(f"env={env_id}", *own).env
    assert settings["id"] == env_id
    shipped = {name: value for name, value in index()["environments"][env_id]["kwargs"].items() if name in settings}
    assert {name: settings[name] for name in shipped} == shipped


def test_an_id_and_a_short_name_mean_the_same():
    assert spec_of("env=FormFactory/BugReport-v0").env == spec_of("env=formfactory", "form=bug_report").env
    assert spec_of("env=FormGym/Scans-v0", "env.split=train").env == spec_of("env=formgym/scans", "env.split=train").env


def test_ids_of_a_sweep_are_chosen_by_a_pattern():
    (argument,) = with_names_listed(["env=glob(FormFactory/S*)"])
    assert argument.startswith("env=FormFactory/Scholarship-v0,FormFactory/")
    assert with_names_listed(["env=glob(formgym/auto*)"])[0].count(",") == 2


def test_an_agent_of_ones_own_is_named_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "my_choice.py").write_text(
        "class Mine:\n    def reset(self, task, seed): ...\n    def act(self, observation): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert spec_of("agent=my_choice.Mine").agent == {"_target_": "my_choice.Mine"}
    with pytest.raises(ValueError, match=r"no class 'Mime'; did you mean Mine\?"):
        register_choices(["agent=noop,my_choice.Mime"])
    with pytest.raises(ValueError, match=r"needs my_coice\.py in .*, or an installed module my_coice"):
        register_choices(["agent=my_coice.Mine"])
