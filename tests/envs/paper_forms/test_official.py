"""The published FormGym's own forms: the loader says what is wrong, boxes, and values that are made up."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import official_fixture as fixture
import pytest
from json_edits import edit_json

from formgym.envs.paper_forms.datasets.fillers import NamedField, fillers, words_of
from formgym.envs.paper_forms.datasets.official import CANVAS, OfficialEnv


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("official"))
    return path


# -- Where the data are --------------------------------------------------------------------------------------------


def test_domains(root: Path) -> None:
    assert OfficialEnv(str(root)).task_ids == ("al_0_0", "al_1_0")
    assert OfficialEnv(str(root), "db").task_ids == ("db_0_0",)
    assert OfficialEnv(str(root), None).task_ids == ("al_0_0", "al_1_0", "db_0_0")
    with pytest.raises(ValueError, match="domain 'cr' is none of al, db and None"):
        OfficialEnv(str(root), "cr")


def test_a_wide_field_that_is_named_as_a_tick_box_is_left_out(tmp_path: Path) -> None:
    for width, names in ((60, 3), (61, 2), (300, 2)):
        folder = fixture.write_fixture(tmp_path / str(width))
        edit_json(folder / "annotations/al_0_0.json", {"annotations.3.bounding_box.w": width})
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            env = OfficialEnv(str(folder))
        targets = env.task("al_0_0").targets
        assert sum(t.name.startswith("ResidenceStatus") for t in targets) == names
        assert env.skipped.get("wide tick box", 0) == len(heard) == 3 - names
        assert all("al_0_0.json: 'ResidenceStatus_Own' is named" in str(warning.message) for warning in heard)
        assert sum(t.gold.value == "X" for t in targets) == 1


# -- Fields --------------------------------------------------------------------------------------------------------


def test_boxes(root: Path) -> None:
    env = OfficialEnv(str(root), answers="one")
    assert env.task("al_0_0#LastName").targets[0].blank == (40, 60, 240, 90)
    # The slot is three times as large as the picture.
    assert env.task("al_1_0#LastName").targets[0].blank == (40, 60, 240, 90)
    assert env.skipped == {"no box": 2}


def test_large_pictures_are_scaled_with_their_boxes(tmp_path: Path) -> None:
    from PIL import Image

    fixture.write_fixture(tmp_path)
    path = tmp_path / "pngs/al_1_0.png"
    with Image.open(path) as picture:
        picture.resize((2472, 3199)).save(path)
    box = OfficialEnv(str(tmp_path), answers="one").task("al_1_0#LastName").targets[0].blank
    scale = CANVAS[1] / 612
    assert box == (int(40 * scale), int(60 * scale), int(240 * scale) + 1, int(90 * scale) + 1)


def test_fields_are_named_in_reading_order(root: Path) -> None:
    env = OfficialEnv(str(root), answers="one")
    assert [task for task in env.task_ids if "Initials" in task][:2] == ["al_0_0#Initials", "al_0_0#Initials/2"]
    first, second = (env.task(f"al_0_0#{name}") for name in ("Initials", "Initials/2"))
    assert first.targets[0].blank[0] == 40
    assert first.source.startswith("Field: Initials (1 of 2)\n")
    assert first.goal.startswith("Sign with")
    assert first.targets[0].gold == second.targets[0].gold
    assert env.task("al_0_0#FirstName").goal.startswith("Write the value")


def test_one_box_of_a_group_is_ticked(root: Path) -> None:
    for page in OfficialEnv(str(root)).task_ids:
        targets = [t for t in OfficialEnv(str(root)).task(page).targets if t.name.startswith("ResidenceStatus")]
        assert sorted(str(t.gold.value) for t in targets) == ["None", "None", "X"]
    env = OfficialEnv(str(root))
    env.reset(options={"task": "al_0_0"})
    empty = next(t for t in env.state.task.targets if t.gold.matcher == "checkbox" and t.gold.value is None)
    x, y = (empty.box[0] + empty.box[2]) / 2 / CANVAS[1], (empty.box[1] + empty.box[3]) / 2 / CANVAS[0]
    info = env.step(env.action_space.action("place_text", x=x, y=y, text="X"))[4]
    assert info["score"]["incorrect_placements"] == 1


def test_a_page_has_one_applicant(root: Path) -> None:
    told = {t.name: t.gold.value for t in OfficialEnv(str(root)).task("al_0_0").targets}
    assert told["Signature"] == f"{told['FirstName']} {told['LastName']}"
    assert told["Initials"] == f"{told['FirstName'][0]}{told['LastName'][0]}"


def test_values_depend_on_page_and_number_alone(root: Path) -> None:
    def sources(**kwargs: Any) -> list[str]:
        env = OfficialEnv(str(root), **kwargs)
        return [env.task(task).source for task in env.task_ids]

    assert sources() == sources(domain=None)[:2] == sources(values=0)
    assert len({*sources(), *sources(values=1)}) == 4


# -- Made-up values ------------------------------------------------------------------------------------------------

NAMES = {
    "LastName": "text",
    "JointFullName": "name",
    "NearestRelativeName": "name",
    "Reference2Name": "name",
    "PreferredFirstName": "text",
    "MiddleInitial": "text",
    "Suffix": "text",
    "JointSignature": "signature",
    "JointInitials": "signature",
    "EmailAddress": "email",
    "EmployerWorkPhone": "phone",
    "SocialSecurityNumber": "identifier",
    "DriversLicenseNoAndState": "identifier",
    "BankAccountNumber": "identifier",
    "Vin": "identifier",
    "Zip": "identifier",
    "db_0_postalcode": "identifier",
    "FullBirthDate": "date",
    "TodaysDate": "date",
    "PreviousEmployerFullAddress": "address",
    "JointPreviousAddressFull": "address",
    "HouseNumberAndStreetAddress": "address",
    "CityState": "text",
    "PreviousEmployerCity": "text",
    "EmployerState": "text",
    "TimeAtAddressYears": "number",
    "JointTimeAtPreviousAddressMonths": "number",
    "TimeAtAddressYearsAndMonths": "duration",
    "PreviousLengthEmployed": "duration",
    "EmployerWorkPhoneExtension": "number",
    "AdditionalIncomeSource": "text",
    "ResidenceStatus": "text",
    "AgesOfDependents": "text",
    "Age": "number",
    "NumDependents": "number",
    "VehicleMiles": "number",
    "VehicleYear": "number",
    "MonthlyMortgageOrRent": "money",
    "GrossMonthlyIncome": "money",
    "AlimonyAmount": "money",
    "LastVehicleCost": "money",
    "MortgageCompanyLandlord": "text",
    "MortgageCompanyLandlordPhone": "phone",
    "EmployerName": "text",
    "LastVehicleMakeModelYear": "text",
    "NearestRelativeRelationship": "text",
    "EmployerPosition": "text",
    "db_0_5ac1": "number",
    "db_0_county": "text",
    "TypeOfContract_Lease": "checkbox",
    "SelfEmployed_no": "checkbox",
    "db_0_quarter_1": "checkbox",
}


@pytest.mark.parametrize("name", NAMES)
def test_values_fit_the_names_and_are_right(name: str) -> None:
    made = {seed: fillers({0: NamedField(name, (0, 0, 200, 30))}, 1000, f"page/{seed}")[0] for seed in range(40)}
    assert {gold.matcher for gold in made.values()} == {NAMES[name]}
    for gold in made.values():
        assert gold.value is not None
        assert gold.accepts(gold.value), gold
        assert 0 < len(gold.value) < 60


def test_small_square_boxes_are_ticked_unless_their_names_say_otherwise() -> None:
    square = (10, 10, 24, 24)
    for name, matcher in (("db_0_4", "checkbox"), ("State", "text"), ("Initials", "signature")):
        assert fillers({0: NamedField(name, square)}, 1000, "page")[0].matcher == matcher
    assert fillers({0: NamedField("db_0_4", (10, 10, 40, 40))}, 1000, "page")[0].matcher == "number"


def test_names_in_words() -> None:
    assert words_of("JointTimeAtAddressYears") == "Joint Time At Address Years"
    assert words_of("PreviousTFSCredit_yes") == "Previous TFS Credit yes"
    assert words_of("_") == "_"
