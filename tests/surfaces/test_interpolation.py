"""`{{name}}` becomes a value, and nothing else in a text is touched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenlan_lab.surfaces.notebook.interpolation import interpolate


def test_a_known_name_becomes_its_value():
    assert interpolate("{{a}} and {{größe}}{{a}}", {"a": 1, "größe": "x y"}) == "1 and x y1"


@pytest.mark.parametrize(
    "text",
    [
        "{a}", "$a", "${a}", "{{ a }}", "{{a.b}}", "{{a[0]}}", "{{a!r}}", "{{a:>10}}", "{{1}}", "{{}}", "{{unknown}}",
        "{{a", r"\frac{{1}}{{2}}", json.dumps({"a": {"b": {}}}), "{{print}}", "{{json}}", "{ {a} }",
    ],
)  # fmt: skip
def test_everything_else_stays(text):
    assert interpolate(text, {"a": "VALUE", "print": print, "json": json}) == text


def test_a_value_is_not_looked_at_again():
    assert interpolate("{{a}}", {"a": "{{b}}", "b": "no"}) == "{{b}}"


@given(st.text())
def test_no_text_fails_and_none_changes_without_names(text):
    assert interpolate(text, {}) == text
