"""Made runs on web forms: agents that fill in some fields of real instances, and their records."""

import random

from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.instances.instance_generator import make_instance
from formgym.envs.web_forms.scoring import FormScore, scored_fields
from formgym.experiments.running.episodes import Episode
from formgym.experiments.running.intervals import scores_of
from formgym.experiments.running.run_folder import Run


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


def episode_of(index, env, task, score):
    record = {"index": index, "seed": index, "rounds": [], "usage": {}, "ended": "terminated", "error": None}
    results = {"metrics": dict(score.metrics), "fields": list(score.fields), "reward": score.metrics["strict_accuracy"]}
    return Episode(env=env, task=task, page_sha256="", seconds=0.1, **record, **results)


def run_of(folder, env, agent, episodes, wrappers=()):
    summary = {"env": env, "agent": agent, "flow": "iterative", "settings": {}, "wrappers": list(wrappers), "seed": 0}
    summary |= dict.fromkeys(("errors", "unscored", "crashes"), 0)
    summary |= {"episodes": len(episodes), "scores": scores_of(episodes), "version": "0"}
    return Run(folder, summary, tuple(episodes))


def whole_form_run(folder, form, agent, skill, wrappers=(), episodes=4):
    rng = random.Random(f"{form} {agent} {wrappers}")
    made = []
    for i in range(episodes):
        fields = scored_fields(web_form(form), make_instance(form, "test", i).values)
        score = filled(fields, skill * 20 / (20 + len(fields)), rng)
        made.append(episode_of(i, env_id(form), f"{form}/test_{i}", score))
    return run_of(folder, env_id(form), agent, made, wrappers)


def atomic_run(folder, agent, skill, episodes=120):
    rng = random.Random(agent)
    env, made = "FormFactory/Atomic-v0", []
    while len(made) < episodes:
        form = rng.choice(web_forms())
        field = rng.choice(scored_fields(web_form(form), make_instance(form, "test", len(made) % 5).values))
        if field.needs_entry:
            task = f"{form}/{field.name}/test_{len(made) % 5}"
            made.append(episode_of(len(made), env, task, filled([field], skill, rng)))
    return run_of(folder, env, agent, made)
