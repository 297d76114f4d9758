from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import StoreError
from engine.store.secrets import EnvironmentSecrets, Redactor, Secrets

SECRET = 'p"ä/ss wörd\n+&%\\'


def secrets(**values):
    variables = {f"LOOPWRIGHT_SECRET_{name}": value for name, value in values.items()}
    return Secrets([EnvironmentSecrets({**variables, "PATH": "/bin", "LOOPWRIGHT_SECRET_": "x"})])


@pytest.mark.parametrize("name", ["API_KEY", "api_key", "api-key", "Api key"])
def test_a_secret_comes_from_its_environment_variable(name):
    assert secrets(API_KEY="sk-1").get(name) == "sk-1"


def test_the_names_of_secrets_are_listed_without_their_values():
    assert secrets(B="2", A="1", EMPTY="").names() == ["A", "B"]


def test_a_missing_secret_is_told_with_the_way_to_set_it():
    with pytest.raises(StoreError) as caught:
        secrets(API_KEY="sk-1", EMPTY="").get("api_kez")

    assert caught.value.message == "There is no secret 'api_kez'."
    assert caught.value.hint.endswith("Set it as LOOPWRIGHT_SECRET_API_KEZ.")
    with pytest.raises(StoreError, match="no secret 'EMPTY'"):
        secrets(EMPTY="").get("EMPTY")


def test_the_real_environment_is_asked_when_nothing_else_is_given(monkeypatch):
    monkeypatch.setenv("LOOPWRIGHT_SECRET_FROM_TEST", "hush hush")

    assert Secrets().get("from_test") == "hush hush"
    assert Secrets().redactor().text("say hush hush") == "say •••"


def test_an_earlier_source_wins():
    first = EnvironmentSecrets({"LOOPWRIGHT_SECRET_A": "1"})
    second = EnvironmentSecrets({"LOOPWRIGHT_SECRET_A": "2", "LOOPWRIGHT_SECRET_B": "3"})

    both = Secrets([first, second])

    assert (both.get("A"), both.get("B"), both.names()) == ("1", "3", ["A", "B"])


def basic(secret, user):
    return base64.b64encode(f"{user}:{secret}".encode()).decode()


FORMS = {
    "plain": lambda secret: secret,
    "json": json.dumps,
    "json without escapes": lambda secret: json.dumps(secret, ensure_ascii=False),
    "json in json": lambda secret: json.dumps(json.dumps({"key": secret})),
    "repr": repr,
    "url": quote,
    "url, all": lambda secret: quote(secret, safe=""),
    "url, small": lambda secret: quote(secret, safe="").replace("%C3", "%c3"),
    "json, capitals": lambda secret: json.dumps(secret).replace("u00e4", "u00E4"),
    "json, slashes": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "form": quote_plus,
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64 for addresses": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", [SECRET, "sk-0123456789", "ÿÿÿ>>>???", "line 1\nline 2\n"])
def test_every_form_of_a_secret_is_covered(form, secret):
    text = f"before {FORMS[form](secret)} after"

    covered = Redactor([secret]).text(text)

    assert "•••" in covered
    assert covered.startswith("before ")
    assert covered.endswith(" after")
    assert FORMS[form](secret).strip("\"'") not in covered

    page = "a long text\n" * 200
    assert Redactor([secret]).text(page + text) == page + covered


@pytest.mark.parametrize("user", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("secret", ["sk-0123456789", "sk-012345678", "sk-01234567"])
def test_a_secret_inside_longer_base64_is_covered(user, secret):
    header = f"Basic {basic(secret, user)}"

    covered = Redactor([secret]).text(header)

    assert "•••" in covered
    assert len(covered) < len(header) - 8


@given(st.text(min_size=1, max_size=20), st.text(max_size=10), st.text(max_size=10))
def test_no_secret_of_usual_length_survives(secret, before, after):
    covered = Redactor([secret]).text(before + secret + after)

    if len(secret) >= 4 and not set(secret) <= {"•"}:
        assert secret not in covered.replace("•", "") or secret in before + after


def test_a_secret_inside_another_is_covered_with_it():
    assert Redactor(["secret", "secret-longer"]).text("secret-longer secret") == "••• •••"


def test_a_short_secret_is_covered_where_it_stands_alone_only():
    redactor = Redactor(["abc"])

    assert redactor.text("abc, abcd xabc (abc) key=abc") == "•••, abcd xabc (•••) key=•••"


def test_values_are_covered_in_depth_and_names_too():
    value = {
        "a": ["x", {"sk-1234": "Bearer sk-1234", "sk-12345": 1}],
        "b": (1, None, True, 2.5),
        "sk-1234": {"•••": 2},
    }

    covered = Redactor(["sk-1234", "sk-12345"]).value(value)

    assert covered == {
        "a": ["x", {"•••": "Bearer •••", "••• 2": 1}],
        "b": (1, None, True, 2.5),
        "•••": {"•••": 2},
    }


def test_a_number_that_is_the_secret_is_covered():
    redactor = Redactor(["123456", "2.5"])

    assert redactor.value([123456, 1234567, 2.5, "123456", 10**5000]) == [
        "•••",
        1234567,
        "•••",
        "•••",
        10**5000,
    ]


@pytest.mark.parametrize("known", [[], [""], ["never there"]])
def test_a_value_without_secrets_is_handed_back_itself(known):
    value = {"a": [1, {"b": "text"}], "c": float("nan"), "d": ""}

    assert Redactor(known).value(value) is value
    assert Redactor(known).text("text") == "text"
