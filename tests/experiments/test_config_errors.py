"""Mistyped groups, choices and settings are answered in one line with what was probably meant."""

import pytest
from command_line import formgym_command
from hydra import compose, initialize_config_module
from sizes import sample

from formgym.experiments.running.command_line import config_errors, suggestion
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
    done = formgym_command("sweep", *overrides.split(), "episodes=1", "run_dir=a/run", cwd=tmp_path)
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
