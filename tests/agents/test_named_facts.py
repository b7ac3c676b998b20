"""Facts with names, and the fields that they belong to."""

import pytest

from formgym.agents.rule_based.named_facts import FieldName, match_facts, read_named_facts


def pairs(source):
    return [(fact.name, fact.text) for fact in read_named_facts(source)]


@pytest.mark.parametrize(
    "source",
    [
        "Name: Ann Lee\n\nsome words\n- Fee = 12:30",
        '{"Name": "Ann Lee", "Fee": "12:30", "none": null}',
        "Name,Ann Lee\nFee,12:30".replace(":30", ".30"),
        "Name;Ann Lee\nFee;12.30",
        "Name\tAnn Lee\nFee\t12.30",
        "field,value\nName,Ann Lee\nFee,12.30",
    ],
)
def test_lines_json_and_csv_are_read_alike(source):
    assert [(name, text.replace(":", ".")) for name, text in pairs(source)] == [("Name", "Ann Lee"), ("Fee", "12.30")]


def test_json_names_the_way_to_a_value_and_csv_may_have_a_row_of_names():
    assert pairs('{"a": {"b": [1, true]}}') == [("a b 1", "1"), ("a b 2", "yes")]
    assert pairs("name,born,city\nAnn,1980,Oslo") == [("name", "Ann"), ("born", "1980"), ("city", "Oslo")]
    assert pairs("Ann Lee was born in 1980.") == pairs("{broken") == []


def matched(source, *fields):
    matches = match_facts(read_named_facts(source), fields)
    return {number: fact.text for number, fact in matches.texts.items()}, matches


@pytest.mark.parametrize(
    "field",
    [
        FieldName(1, "Date of birth"),
        FieldName(1, "3. Date of birth (DD/MM/YYYY)"),
        FieldName(1, "1.4 Birth date of"),
        FieldName(1, "Enter it here", "form1.DateOfBirth"),
        FieldName(1, "Enter it here", "form1.date_of_birth"),
    ],
)
def test_a_fact_goes_to_the_field_of_its_name(field):
    texts, matches = matched("date of birth: 3 May 1980\nshoe size: 44", field, FieldName(2, "Telephone"))
    assert texts == {1: "3 May 1980"}
    assert [fact.name for fact in matches.unused] == ["shoe size"]


def test_what_would_do_for_two_fields_is_a_doubt():
    for labels in (("Address line A", "Address line B"), ("Name", "Name"), ("First: Name", "Second: Name")):
        fact = f"{labels[0].rpartition(': ')[2].removesuffix(' A')}: 4 Elm St"
        texts, matches = matched(fact, *(FieldName(i, label) for i, label in enumerate(labels, start=1)))
        assert not texts
        assert f"may also belong to {labels[1]!r}" in matches.doubts[1]
        assert set(matches.doubts) == {1, 2}
    texts, matches = matched("Name: Ann\nName: Bob", FieldName(1, "Name"))
    assert not texts
    assert matches.doubts[1] == "may be 'Name: Ann' or 'Name: Bob'"


def test_one_value_in_two_places_and_names_that_are_the_same_are_no_doubt():
    assert matched("Name: Ann", FieldName(1, "Name", "a.b"), FieldName(2, "Name", "a.b"))[0] == {1: "Ann", 2: "Ann"}
    assert matched("Name: Ann", FieldName(1, "Name"), FieldName(2, "Names"))[0] == {1: "Ann"}
    assert matched("Child 2: Bo", FieldName(1, "Child 1"), FieldName(2, "Child 2"))[0] == {2: "Bo"}
    heading = FieldName(1, "First applicant: Full name"), FieldName(2, "Second applicant: Full name")
    assert matched("Second applicant full name: Joel Ek", *heading)[0] == {2: "Joel Ek"}


def test_the_full_name_of_a_field_in_the_file_is_that_of_no_other():
    fields = FieldName(1, "Full name", "applicantFullName"), FieldName(2, "Full name", "secondFullName")
    assert matched('{"applicantFullName": "Simone"}', *fields)[0] == {1: "Simone"}
    nested = FieldName(1, "Name", "a.name"), FieldName(2, "Name", "b.name")
    assert matched('{"b": {"name": "Bo"}}', *nested)[0] == {2: "Bo"}


def test_boxes_are_ticked_by_yes_or_by_their_words():
    box, sex = FieldName(1, "Married", is_box=True), [("Female", 2), ("Male", 3)]
    options = [FieldName(number, "Sex", option=option, is_box=True) for option, number in sex]
    assert matched("Married: yes\nsex: female", box, *options)[0] == {1: "yes", 2: "female"}
    assert matched("Married: no\nsex: other", box, *options)[0] == {}
    assert "does not say" in matched("Married: 1999", box)[1].doubts[1]
