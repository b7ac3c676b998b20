"""Pages of forms as axe-core judges them: in every theme, on every page, with all fields, lists and dates open."""

from importlib.resources import files

import pytest
from sizes import some

from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.html.form_document import form_html
from formgym.envs.web_forms.html.themes import themes

SHOW = """number => {
  document.querySelectorAll("section.page").forEach((page, i) => { page.hidden = i !== number; });
  document.querySelectorAll(".field[hidden], .row[hidden]").forEach(part => { part.hidden = false; });
  document.querySelectorAll("[disabled]").forEach(control => { control.disabled = false; });
}"""
RUN = """async () => (await axe.run()).violations.flatMap(
  ({ id, impact, nodes }) => nodes.map(one => [impact, id, one.html.slice(0, 90), one.failureSummary]))"""


@pytest.fixture
def violations(browser):
    """Judges the page that is open: the violations of any impact."""
    axe = files(pytest.importorskip("axe_playwright_python")).joinpath("axe.min.js").read_text(encoding="utf-8")
    page = browser.new_page(viewport={"width": 1024, "height": 768})

    def judge():
        page.evaluate(f"{axe};0")
        return page.evaluate(RUN)

    judge.page = page
    yield judge
    page.close()


@pytest.mark.parametrize("theme", themes())
def test_pages_have_no_violations(violations, tmp_path, theme):
    page, path = violations.page, tmp_path / "form.html"
    for name in some(web_forms()[themes().index(theme) :: 13], web_forms()):
        path.write_text(form_html(web_form(name), theme, files=["plan.pdf"]), encoding="utf-8")
        page.goto(path.as_uri())
        for number in range(len(web_form(name).pages) + 1):
            page.evaluate(SHOW, number)
            assert violations() == [], (name, number)
            for part in ("section:not([hidden]) .fg-box", "section:not([hidden]) .fg-calendar-button"):
                if page.locator(part).count():
                    page.locator(part).first.click()
                    assert violations() == [], (name, number, part)
                    page.keyboard.press("Escape")


def test_a_bubble_is_an_alert_and_a_violation_is_found(violations, tmp_path):
    path = tmp_path / "form.html"
    path.write_text(form_html(web_form("nda"), themes()[0]), encoding="utf-8")
    violations.page.goto(path.as_uri())
    violations.page.locator("nav.turn button").first.click()
    assert violations.page.get_by_role("alert").inner_text()
    assert violations() == []
    violations.page.add_style_tag(content=".hint, .name { color: #ddd !important; }")
    assert {(impact, rule) for impact, rule, *_ in violations()} == {("serious", "color-contrast")}
