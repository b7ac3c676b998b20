"""Web forms as data, and their instances: definitions, draws, texts, and the checks of all of them."""

import json
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import check_web_forms as check
import numpy as np
import pytest
from build_assets import write_instances
from sizes import sample, some
from web_form_rules import (
    common_addresses,
    finding_problem,
    instance_faults,
    layout_faults,
    share_filled,
)

from formgym.envs.web_forms.forms.form import PageDefinition, WebForm, web_form, web_forms
from formgym.envs.web_forms.instances.instance_generator import frozen_instances, make_instance
from formgym.envs.web_forms.instances.recipe import FormRecipe, InstanceMaker, form_bundle
from formgym.envs.web_forms.instances.typeable import entry_problem

GARDEN = Path(__file__).with_name("garden_plot")
"""A form with every control, a repeated block, hidden fields and options that depend on others; and its recipe."""


def _field(name, control, **keys):
    return {"name": name, "control": control, "label": name.replace("_", " ").capitalize(), **keys}


def _form():
    return json.loads((GARDEN / "form.json").read_text())


def _recipe():
    return json.loads((GARDEN / "recipe.json").read_text())


def _words(*words):
    return {"test": [f"{word} for sure" for word in words], "train": [f"certainly {word}" for word in words]}


@pytest.fixture
def folder(tmp_path):
    """A form of one's own, without fault."""
    made = tmp_path / "garden_plot"
    shutil.copytree(GARDEN, made)
    (made / "sources").mkdir()
    # The words of each split are put in for @, so that no sentence is shared.
    source = (made / "source.md").read_text()
    for split, filler in (("test", "beans"), ("train", "herbs")):
        for i, genre in enumerate(("letter", "chat", "notes"), start=1):
            prose = " ".join(f"{split} {genre} number {n} speaks at length of {filler}." for n in range(10))
            text = source.replace("TITLE", f"A {split} {genre}.").replace("PROSE", prose)
            text = text.replace("@", split.capitalize())
            (made / "sources" / f"{split}_{i}_{genre}.md").write_text(text)
    return made


def _changed(made, file, change):
    data = json.loads((made / file).read_text())
    change(data)
    (made / file).write_text(json.dumps(data))
    return str(made)


def _rules(made):
    return {fault.rule for fault in check.faults(str(made), 6, 6)}


def _fields(data):
    return {field["name"]: field for page in data["pages"] for block in page["blocks"] for field in block["fields"]}


# Definitions


def test_fields_are_in_the_order_of_the_pages_with_rows_numbered(folder):
    form = web_form(str(folder))
    names = [field.name for field in form.fields]
    assert names[:2] == ["full_name", "email"]
    assert names[-6:] == ["helper_1", "role_1", "helper_2", "role_2", "helper_3", "role_3"]
    last = form.by_name["role_3"]
    assert (last.base_name, last.page, last.block, last.row) == ("role", 1, 1, 3)
    assert form.by_name["animal"].when.field == "kind"
    assert form.by_name["leaf"].options_for("Pine") == ("Long needle", "Short needle")
    assert form.by_name["leaf"].options_for(None) == ()
    assert form.by_name["phone"].matcher == "phone"
    assert form.by_name["days"].matcher == "choice"


def test_conditions_in_a_repeated_block_speak_of_the_same_row():
    data = _form()
    data["pages"][1]["blocks"][1]["fields"].append(_field("colour", "text", when={"field": "role", "is": ["Painter"]}))
    form = WebForm.model_validate(data)
    assert form.by_name["colour_2"].when.field == "role_2"
    values = {"kind": "No", "helper_1": "A", "helper_2": "B", "role_1": "Digger", "role_2": "Painter"}
    shown = {field.name for field in form.visible_fields(values)}
    assert "colour_2" in shown
    assert not shown & {"colour_1", "helper_3", "animal"}


def _set(field, /, **keys):
    return lambda data: _fields(data)[field].update(keys)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_set("full_name", control="box"), r"full_name\.control"),
        (_set("full_name", label="x" * 61), r"full_name\.label: .*60 characters"),
        (_set("full_name", label=""), "full_name: .*needs a label"),
        (_set("full_name", options=["A", "B"]), "full_name: .*options is for select"),
        (_set("full_name", wide=True), r"full_name\.wide: Extra"),
        (_set("full_name", label="Имя"), "not Latin: И"),
        (_set("email", name="full_name"), "full_name: there are two"),
        (_set("phone", matcher="telepathy"), "phone: .*unknown matcher 'telepathy'"),
        (_set("secret_word", pattern="["), "secret_word: .*no regular expression"),
        (_set("amount", least=9000), "amount: .*least 9000 is more than most 5000"),
        (_set("amount", least="100"), "amount"),
        (_set("born", least=1950), "born: .*does not fit a date"),
        (_set("animal", options=None), "animal: .*needs options"),
        (_set("animal", options=["Dog", "Dog"]), "animal: .*two options are alike"),
        (_set("animal", when={"field": "tools", "is": ["Rake"]}), "animal: when: no field 'tools' before it"),
        (_set("animal", when={"field": "kind", "is": ["Maybe"]}), "animal: when: kind cannot be 'Maybe'"),
        (_set("animal", when={"field": "full_name", "is": ["Yes"]}), "animal: when: full_name is a text"),
        (_set("tree", initial="Ash"), "tree: .*initial 'Ash' is none"),
        (_set("leaf", options_by={"field": "tree", "options": {"Oak": ["A", "B"]}}), "leaf: options_by: .*'Elm', 'P"),
        (_set("agree", statement=""), "agree: .*needs a statement"),
        (_set("plan", accept=["pdf"]), r"plan\.accept"),
        (lambda data: data.update(name="other"), "name: 'other' is not that of the folder"),
        (lambda data: data.update(today="yesterday"), "today"),
        (lambda data: data.update(domain="sport"), "domain"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_definition_is_said_with_its_place(folder, change, told):
    with pytest.raises(ValueError, match=rf"(?s)form\.json is not valid:.*{told}"):
        web_form(_changed(folder, "form.json", change))


def test_unknown_forms_are_named():
    with pytest.raises(ValueError, match="no form 'nothing'"):
        web_form("nothing")
    with pytest.raises(ValueError, match="cannot be read"):
        web_form("./nothing")


def _draws(**draws):
    return lambda data: data["draws"].update(draws)


def _values(**values):
    return lambda data: data["values"].update(values)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_draws(p="persons()"), r"draws\.p: 'persons' is neither known nor drawn before"),
        (_draws(p="person("), r"draws\.p: TemplateSyntaxError"),
        (_draws(double="{{ sise }}"), r"draws\.double: 'sise' is neither"),
        (lambda data: data["values"].pop("story"), "values: no value of field story"),
        (_values(story_2=""), "values: no field story_2"),
        (_values(email="{{ q.mail }}"), r"values\.email: no draw 'q'"),
        (lambda data: data["cues"].update(mood={}), "cues: no field mood"),
        (lambda data: data["cues"]["news"].update(maybe=_words("x", "y")), r"cues\.news: no option 'maybe'"),
        (lambda data: data["cues"]["news"].update(no=_words("{{ p }}")), r"cues\.news\.no\.test\.0"),
        (_draws(v="company()"), "'v' is a name that texts or draws use"),
        (_draws(number="number(1, 2)"), "'number' is a name that texts or draws use"),
    ],
)
def test_what_is_wrong_in_a_recipe_is_said_with_its_place(folder, change, told):
    with pytest.raises(ValueError, match=rf"(?s)recipe\.json is not valid:.*{told}"):
        form_bundle(_changed(folder, "recipe.json", change))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_draws(leaf="option('leaf')"), r"draws\.leaf: .*field 'leaf' has no options for None"),
        (_draws(story="phrase('tales')"), r"draws\.story: .*no pool 'tales'"),
        (_draws(kind="option('kinds')"), r"draws\.kind: .*no field 'kinds'"),
        (_draws(amount="number(1, 2, 3, 4, 5)"), r"draws\.amount: TypeError"),
        (_draws(beside="files(['a', 'a'])"), r"draws\.beside: .*two files are called 'a'"),
        (_values(email="{{ p.mail }}"), r"values\.email: .*no attribute 'mail'"),
        (_values(agree="perhaps"), r"values\.agree: 'perhaps' is not true or false"),
        (_values(tree="{{ tools }}"), r"values\.tree: .* is no value of a select"),
    ],
)
def test_what_cannot_be_drawn_is_said_with_its_place(folder, change, told):
    with pytest.raises(ValueError, match=told):
        make_instance(_changed(folder, "recipe.json", change), "test", 0)


def test_a_value_of_one_expression_keeps_its_type():
    recipe = FormRecipe.model_validate(_recipe() | {"draws": {**_recipe()["draws"], "n": "number(2, 2)"}})
    maker = InstanceMaker(np.random.default_rng(3), WebForm.model_validate(_form()), recipe, "train")
    maker.draw_all()
    assert maker.facts["double"] == str(maker.facts["size"] * 2)
    assert maker.task_files == [maker.facts["plan"], "old_plan.pdf", "notes.txt"]
    for spec, value in [
        *(("{{ n }}", 2), ("{{ n }} {{ n }}", "2 2"), ("{{ [n, n] }}", [2, 2]), ("{{ n if n > 5 }}", None)),
        *((True, True), (("{{ n }}", "x"), ["2", "x"])),
    ]:
        assert maker.value_of(spec, "here") == value


def test_a_broken_text_names_its_file(folder):
    (folder / "sources" / "test_1_letter.md").write_text("Hello {{ q.full }}")
    with pytest.raises(ValueError, match=r"test_1_letter\.md: UndefinedError: 'q' is undefined"):
        make_instance(str(folder), "test", 0)
    form_bundle.cache_clear()
    (folder / "sources" / "letter.md").write_text("Hello")
    with pytest.raises(ValueError, match=r"letter\.md: the name must be"):
        form_bundle(str(folder))


# Instances


def test_an_instance_is_equal_for_an_equal_seed_in_any_process(folder):
    code = (
        "import sys; from formgym.envs.web_forms.instances.instance_generator import make_instance;"
        "print(make_instance(sys.argv[1], 'train', 7, 3).model_dump_json())"
    )
    other = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True).stdout
    make_instance(str(folder), "train", 8)
    assert make_instance(str(folder), "train", 7, 3).model_dump_json() == other.strip()


def test_seed_split_and_secret_each_make_another_instance(folder):
    made = [make_instance(str(folder), *key).values["email"] for key in (("test", 1), ("test", 2), ("train", 1))]
    assert len({*made, make_instance(str(folder), "test", 1, 5).values["email"]}) == 4


def test_texts_are_taken_in_turn(folder):
    genres = [make_instance(str(folder), "test", seed).genre for seed in range(4)]
    assert genres == ["letter", "chat", "notes", "letter"]


@pytest.mark.parametrize("split", ["test", "train"])
def test_hidden_fields_and_closed_rows_are_empty(folder, split):
    for seed in range(20):
        values = make_instance(str(folder), split, seed).values
        assert (values["animal"] is None) == (values["kind"] == "No")
        rows = [values[f"helper_{i}"] is not None for i in (1, 2, 3)]
        assert rows == sorted(rows, reverse=True)
        assert [values[f"role_{i}"] is not None for i in (1, 2, 3)] == rows
        assert values["agree"] is True
        assert isinstance(values["days"], list)


def test_the_form_without_fault_has_none(folder):
    assert check.faults(str(folder), *some((8, 8), (20, 20))) == []
    assert share_filled(web_form(str(folder)), [make_instance(str(folder), "test", seed) for seed in range(9)]) == 1
    assert check.main([str(folder)]) == 0
    assert make_instance(str(folder), "train", 3).source in check.show(str(folder), "train", 3)


def test_frozen_instances_are_read_as_they_were_made(folder):
    path = write_instances(str(folder), 4)
    assert path == folder / "instances.json"
    assert frozen_instances(str(folder)) == tuple(make_instance(str(folder), "test", seed) for seed in range(4))
    path.write_text(path.read_text().replace('"story"', '"tale"', 1))
    frozen_instances.cache_clear()
    with pytest.raises(ValueError, match=r"0\.values: missing or unknown fields: story, tale"):
        frozen_instances(str(folder))


# What can be entered


def _web_field(name, **keys):
    data = _form()
    _fields(data)[name].update(keys)
    return WebForm.model_validate(data).by_name[name]


@pytest.mark.parametrize(
    ("name", "keys", "fine", "wrong"),
    [
        ("full_name", {}, ["Ann Lee"], [None, "x" * 41, " Ann", "Ann\nLee"]),
        ("email", {}, ["ann@example.com"], ["ann@@example.com", "ann at example.com"]),
        ("site", {}, ["https://example.com/a", None], ["example.com"]),
        ("secret_word", {}, ["AB-1234"], ["AB-12345"]),
        ("amount", {}, ["150"], ["125", "50", "5050", "1e3", "1,000"]),
        ("amount", {"step": "any"}, ["100.125"], []),
        ("amount", {"step": 0.01, "least": 0}, ["19.99"], []),
        ("born", {}, ["1960-02-29"], ["1961-02-29", "2007-01-01", "19600229"]),
        ("animal", {}, ["Cat"], ["Cow"]),
        ("tree", {}, [], [None]),
        ("leaf", {}, ["Long needle"], ["Red leaf"]),
        ("tools", {}, [["Rake", "Hoe"]], [["Rake", "Rake"], "Rake"]),
        ("days", {}, [], [None]),
        ("agree", {}, [True], [False, "yes"]),
        ("news", {}, [False], []),
        ("story", {}, ["a" * 30], ["a" * 29]),
        ("plan", {}, ["plan.pdf"], ["plan.txt", "other.pdf"]),
        ("plan", {"several": True}, [["plan.pdf"]], []),
    ],
)
def test_what_a_browser_lets_in_can_be_entered(name, keys, fine, wrong):
    field = _web_field(name, **keys)
    for value in [*fine, *wrong]:
        problem = entry_problem(field, value, {"tree": "Pine"}, ["plan.pdf", "plan.txt"])
        assert (problem is None) == (value in fine), (value, problem)


# What can be found


@pytest.mark.parametrize(
    ("name", "value", "fine", "wrong"),
    [
        ("full_name", "Ann Lee", ["I am Ann\nLee."], ["I am Ann Leeds.", "I am ann lee."]),
        ("phone", "(415) 555-0132", ["Call 415-555-0132."], ["Call (415) 555-0133."]),
        ("amount", "12500", ["about $12,500."], ["12,500.50"]),
        ("amount", "12.5", ["12.50 kg"], []),
        ("amount", "14", [], ["on 2025-03-14", "room ST-14"]),
        ("born", "1960-03-04", ["on March 4, 1960", "03/04/1960"], ["on 14 March 1960"]),
        ("animal", "Cat", ["my cat"], ["my category"]),
        ("tree", "Oak", ["nothing, as it is so at first"], []),
        ("kind", "Yes", ["I keep a dog"], ["Yes, yes", "I keep a dog; there are no animals in my garden"]),
        ("tools", ["Rake", "Hoe"], ["a rake, a hoe"], ["a rake"]),
        ("news", True, ["please write to me"], ["send me news"]),
        ("news", False, ["do not please write to me", ""], ["please write to me"]),
        ("story", "One line.\n\nAnother one.", ["> One\n> line.\n>\n> Another one."], []),
        ("plan", "a_plan.pdf", [], ["see not_a_plan.pdf"]),
        ("site", None, [""], []),
    ],
)
def test_what_the_text_tells_is_found(name, value, fine, wrong):
    cues = {
        "kind": {"Yes": ["I keep a dog"], "No": ["no animals in my garden"]},
        "news": {"yes": ["please write to me"], "no": ["do not please write to me"]},
    }
    for source in [*fine, *wrong]:
        problem = finding_problem(_web_field(name), value, source, cues.get(name, {}))
        assert (problem is None) == (source in fine), (source, problem)


# The checks


def _source(text):
    def change(made):
        for path in (made / "sources").iterdir():
            path.write_text(text(path.read_text()))

    return change


def _json(file, change):
    return lambda made: _changed(made, file, change)


def _cues(**words):
    return lambda data: data["cues"]["news"]["no"].update(words)


def _crowded(data):
    data["pages"][0]["blocks"][0]["fields"] += [_field(f"more_{i}", "text") for i in range(9)]


def _more_values(data):
    data["values"] |= {f"more_{i}": "" for i in range(9)}


@pytest.mark.parametrize(
    ("rule", "plants"),
    [
        ("files", [_json("form.json", _set("full_name", control="box"))]),
        ("made", [_source(lambda text: text + "{{ nobody }}")]),
        ("length", [_source(lambda text: text + " and so on" * 300)]),
        ("length", [_source(lambda text: "short")]),
        ("fictitious", [_source(lambda text: text + "mail@gardens.com")]),
        ("fictitious", [_source(lambda text: text + "(415) 555-2671")]),
        ("enterable", [_json("recipe.json", _values(amount="{{ amount + 1 }}"))]),
        ("enterable", [_json("recipe.json", _values(full_name=""))]),
        ("recoverable", [_source(lambda text: text.replace("{{ p.phone }}", "not listed"))]),
        ("recoverable", [_source(lambda text: text.replace('{{ said("agree") }}', "fine"))]),
        ("files", [_json("recipe.json", _draws(beside="files(['notes.txt'])"))]),
        ("filled", [_json("recipe.json", _values(phone="", site=""))]),
        ("sources", [lambda made: (made / "sources" / "test_1_letter.md").unlink()]),
        ("shared words", [_source(lambda text: text + "This sentence stands in all of them.")]),
        ("shared words", [_json("recipe.json", _cues(train=["no mail for sure"] * 2))]),
        ("cues", [_json("recipe.json", _cues(train=["no letters"]))]),
        ("pools", [_json("recipe.json", lambda data: data["pools"]["story"]["test"].pop())]),
        ("pages", [_json("form.json", _crowded), _json("recipe.json", _more_values)]),
        ("options", [_json("form.json", _set("days", options=[f"Day {i}" for i in range(10)]))]),
    ],
)
def test_every_planted_fault_is_found(folder, rule, plants):
    for plant in plants:
        plant(folder)
    assert rule in _rules(folder)


def test_what_is_always_the_same_is_noted(folder):
    assert check.rarities(str(folder)) == []
    _changed(folder, "recipe.json", _values(news=False, animal="Dog"))
    form_bundle.cache_clear()
    notes = ["field animal always holds 'Dog'", "field news always holds False"]
    assert check.rarities(str(folder)) == notes


def _page(*fields, repeat=None):
    block = {"title": "Work", "fields": list(fields)} | ({"repeat": repeat} if repeat else {})
    first = {"fields": [_field("kind", "radio", options=["A", "B"])]}
    return PageDefinition.model_validate({"title": "Plot", "blocks": [first, block]})


def _told(*pages):
    form = WebForm.model_validate(_form() | {"pages": [page.model_dump(exclude_unset=True) for page in pages]})
    return " ".join(str(fault) for fault in layout_faults(form))


REPEAT = {"most": 4, "add": "More", "remove": "Fewer"}


def test_pages_with_too_much_on_them_are_found():
    hidden = [_field(f"f{i}", "text", when={"field": "kind", "is": [is_]}) for i, is_ in enumerate("AB")]
    assert not _told(_page(*hidden))
    assert "2 different `when`, not 1 at most beside a repeated block" in _told(_page(*hidden, repeat=REPEAT))
    tall = [_field(f"g{i}", "textarea", rows=9) for i in range(2)]
    assert not _told(_page(*tall))
    assert "pixels high" in _told(_page(*tall, repeat=REPEAT))
    assert "17 fields, not 16" in _told(_page(*(_field(f"h{i}", "text", width="third") for i in range(16))))


def test_the_command_says_what_is_wrong(folder, capsys):
    _source(lambda text: text.replace("{{ p.phone }}", "not listed"))(folder)
    assert check.main([str(folder)]) == 1
    told = capsys.readouterr().out
    assert "recoverable: 100" in told
    assert "test_1_letter.md, seed 0, field phone" in told


def test_somebody_met_in_both_splits_is_found(folder):
    test, train = (make_instance(str(folder), split, 1) for split in ("test", "train"))
    assert not list(common_addresses([test], [train]))
    met = train.model_copy(update={"values": train.values | {"email": test.values["email"]}})
    assert len(list(common_addresses([test], [met]))) == 1


def test_a_hidden_value_is_found(folder):
    instance = next(
        found for seed in range(30) if (found := make_instance(str(folder), "test", seed)).values["kind"] == "No"
    )
    broken = instance.model_copy(update={"values": instance.values | {"animal": "Dog"}})
    assert {fault.rule for fault in instance_faults(form_bundle(str(folder)), broken)} == {"enterable"}


# The shipped forms


@pytest.mark.parametrize("form", sample(web_forms(), 2))
def test_a_shipped_form_and_its_instances_are_without_fault(form):
    found = check.faults(form, *some((20, 20), (50, 30)))
    assert not found, check.report(found)


@pytest.mark.parametrize("form", sample(web_forms(), 4))
def test_frozen_instances_fit_their_form(form):
    instances = frozen_instances(form)
    assert len(instances) == 50
    assert not [fault for instance in instances for fault in instance_faults(form_bundle(form), instance)]
    assert not list(common_addresses(instances, [make_instance(form, "train", seed) for seed in range(30)]))


def _years(first, last):
    return (date.fromisoformat(last) - date.fromisoformat(first)).days / 365.25


def _claimed(v):
    return sum(float(v[f"item_amount_{i}"] or 0) for i in range(1, 5))


def _relative_fits(v):
    age = _years(v["date_of_birth"], v["surgery_date"])
    return {"Son or daughter": age > 40, "Parent": age < 61}.get(v["emergency_relation"], True)


# The stories behind the values: what must be true of an instance of a form.
STORIES = {
    "insurance_claim": lambda v: abs(_claimed(v) - float(v["claim_total"])) < 0.005,
    "project_bid": lambda v: 0 <= int(v["weeks"]) - _years(v["start_date"], v["completion_date"]) * 365.25 / 7 < 1.01,
    "contractor_onboarding": lambda v: v["start_date"] < v["end_date"] < (v["insured_until"] or "9"),
    "startup_funding": lambda v: (
        not v["valuation"] or abs(float(v["amount"]) * (100 / float(v["equity"]) - 1) - float(v["valuation"])) < 15_000
    ),
    "personal_loan": lambda v: 2 * int(v["loan_amount"]) < int(v["monthly_income"]) * int(v["loan_term"][:2]),
    "association_membership": lambda v: _years(v["born_on"], "2025-06-30") - int(v["years_experience"]) > 18,
    "rental_application": lambda v: float(v["max_rent"]) < 0.5 * float(v["monthly_income"]),
    "bank_account": lambda v: v["customer_kind"] != "Student" or "1995" < v["date_of_birth"] < "2008",
    "study_enrolment": lambda v: int(v["age"]) - int(re.search(r"(\d+) years", v["history"])[1]) >= 12,
    "surgery_consent": _relative_fits,
    "background_check": lambda v: v["resident_since"] > v["birth_date"],
    "art_exhibition": lambda v: bool(v["price"]) == v["for_sale"],
    "manufacturing_order": lambda v: bool(v["sample_count"]) == v["samples_first"],
}


@pytest.mark.parametrize("form", STORIES)
def test_the_story_of_an_instance_adds_up(form):
    made = [make_instance(form, "train", seed) for seed in range(some(10, 100))]
    for instance in (*frozen_instances(form), *made):
        assert STORIES[form](instance.values), (form, instance.number)
