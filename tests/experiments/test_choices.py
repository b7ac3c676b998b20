"""Ids of environments and classes of one's own are choices of the command line."""

import pytest
from sizes import FIRST_OF_EACH_CLASS, some

from formgym.envs.registration import ids, index
from formgym.experiments.running.command_line import register_choices, with_names_listed
from formgym.experiments.running.sweep import spec_of


def composed(*overrides):
    return spec_of(*overrides)


@pytest.mark.parametrize("env_id", some(FIRST_OF_EACH_CLASS, ids()))
def test_an_id_is_a_choice_with_the_settings_of_its_environment(env_id):
    own = ["env.capture=null"] if "Captured" in env_id else []
    settings = composed(f"env={env_id}", *own).env
    assert settings["id"] == env_id
    shipped = {name: value for name, value in index()["environments"][env_id]["kwargs"].items() if name in settings}
    assert {name: settings[name] for name in shipped} == shipped


def test_an_id_and_a_short_name_mean_the_same():
    assert composed("env=FormFactory/BugReport-v0").env == composed("env=formfactory", "form=bug_report").env
    assert (
        composed("env=FormGym/Scans-v0", "env.split=train").env == composed("env=formgym/scans", "env.split=train").env
    )


def test_ids_of_a_sweep_are_chosen_by_a_pattern():
    (argument,) = with_names_listed(["env=glob(FormFactory/S*)"])
    assert argument.startswith("env=FormFactory/Scholarship-v0,FormFactory/")
    assert with_names_listed(["env=glob(formgym/auto*)"])[0].count(",") == 2


def test_an_agent_of_ones_own_is_named_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "my_choice.py").write_text(
        "class Mine:\n    def reset(self, task, seed): ...\n    def act(self, observation): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert composed("agent=my_choice.Mine").agent == {"_target_": "my_choice.Mine"}
    with pytest.raises(ValueError, match=r"no class 'Mime'; did you mean Mine\?"):
        register_choices(["agent=noop,my_choice.Mime"])
    with pytest.raises(ValueError, match=r"needs my_coice\.py in .*, or an installed module my_coice"):
        register_choices(["agent=my_coice.Mine"])


def test_a_module_that_lacks_another_says_which(tmp_path, monkeypatch):
    (tmp_path / "my_lacking.py").write_text("import absent_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="my_lacking needs absent_module"):
        register_choices(["agent=my_lacking.Mine"])
