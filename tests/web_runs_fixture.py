"""Made runs on web forms: agents that fill in some fields of real instances, and their records."""

import random

from made_runs import made_episode, made_run

from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.instances.instance_generator import make_instance
from formgym.envs.web_forms.scoring import FormScore, scored_fields


def env_id(form):
    return f"FormFactory/{form.title().replace('_', '')}-v0"


def filled(fields, skill, rng):
    """A score after an agent has met each field, which it gets right with a probability of ``skill``."""
    score = FormScore(fields)
    values = {}
    for field in fields:
        if field.needs_entry and rng.random() < skill:
            values[field.name] = field.gold
        elif field.control in ("text", "textarea") and rng.random() < skill:
            values[field.name] = f"{field.gold or 'something'} else"
        if rng.random() < skill:
            score.click(field.name)
    score.enter(values)
    return score.score(submitted=skill > 0, finished=True)


def scored_episode(index, env, task, score):
    return made_episode(index, task, env, dict(score.metrics), fields=list(score.fields))


def whole_form_run(folder, form, agent, skill, wrappers=(), episodes=4):
    rng = random.Random(f"{form} {agent} {wrappers}")
    made = []
    for i in range(episodes):
        fields = scored_fields(web_form(form), make_instance(form, "test", i).values)
        score = filled(fields, skill * 20 / (20 + len(fields)), rng)
        made.append(scored_episode(i, env_id(form), f"{form}/test_{i}", score))
    return made_run(folder, agent, made, wrappers=list(wrappers))


def atomic_run(folder, agent, skill, episodes=120):
    rng = random.Random(agent)
    env, made = "FormFactory/Atomic-v0", []
    while len(made) < episodes:
        form = rng.choice(web_forms())
        field = rng.choice(scored_fields(web_form(form), make_instance(form, "test", len(made) % 5).values))
        if field.needs_entry:
            task = f"{form}/{field.name}/test_{len(made) % 5}"
            made.append(scored_episode(len(made), env, task, filled([field], skill, rng)))
    return made_run(folder, agent, made)
