"""Settings: one table, from which variables, checks and the page in ``docs`` come."""

import re

import pytest

from bidcascade.bridge import InvalidInput
from bidcascade.engine.settings import (
    PREFIX,
    Settings,
    read_settings,
    split_table,
    unknown_variables,
    with_shipped_tables,
)
from bidcascade.kernels.machine.caches import CACHE_VARIABLE
from tests.support.docs import page_text

NAMES = sorted(Settings.model_fields)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)


def test_defaults():
    settings = Settings()
    assert (settings.host, settings.port, settings.table) == ("127.0.0.1", 8000, "sayc")
    assert settings.max_request_bytes == 32 * 1024 * 1024
    assert settings.max_request_deals == 100_000
    assert settings.request_timeout_ms == 30_000
    assert settings.cors_origins == ()


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_described_and_read_from_its_variable(name, monkeypatch):
    field = Settings.model_fields[name]
    assert field.description
    assert field.description.endswith(".")
    assert not field.is_required()
    truth = str(field.default is False).lower()
    other = {str: "debug", int: "1234", bool: truth, tuple[str, ...]: "a=b, c"}
    written = {
        "log_level": "debug", "log_format": "json", "backend": "reference",
        # overlays are of tables that there are
        "overlays": "b, c",
        "undescribed": "reject", "trusted_proxies": "::1, 10.0.0.0/8",
    }.get(name)  # fmt: skip
    written = other[field.annotation] if written is None else written
    monkeypatch.setenv(f"{PREFIX}{name.upper()}", written)
    value = getattr(Settings(), name)
    assert value != field.default
    lists = (("a=b", "c"), ("b", "c"), ("reject",), ("::1", "10.0.0.0/8"))
    assert value in (written, 1234, truth == "true", *lists)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(("_ms", "_s", "_bytes"))])
def test_names_of_quantities_carry_their_unit(name):
    assert Settings.model_fields[name].annotation is int


def test_arguments_go_before_variables(monkeypatch):
    monkeypatch.setenv("BIDCASCADE_PORT", "8001")
    monkeypatch.setenv("BIDCASCADE_HOST", "0.0.0.0")
    monkeypatch.setenv("BIDCASCADE_TABLE", "")
    settings = read_settings({"port": 8002, "host": None})
    assert (settings.port, settings.host, settings.table) == (8002, "0.0.0.0", "sayc")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("port", "http", "valid integer, unable to parse string as an integer, got 'http'"),
        ("port", "-1", "greater than or equal to 0"),
        ("max_request_bytes", "10", "greater than or equal to 1024"),
        ("request_timeout_ms", "0", "greater than or equal to 1"),
        ("backend", "gpu", "'auto', 'reference', 'cpu' or 'cuda'"),
        ("log_level", "loud", "'debug'"),
        ("access_log", "maybe", "valid boolean"),
        ("host", "", None),
    ],
)
def test_wrong_values_are_named(name, value, reason, monkeypatch):
    monkeypatch.setenv(f"{PREFIX}{name.upper()}", value)
    if reason is None:
        assert getattr(read_settings(), name) == Settings.model_fields[name].default
        return
    with pytest.raises(InvalidInput) as caught:
        read_settings()
    assert str(caught.value).startswith(f"setting '{name}' ({PREFIX}{name.upper()}): ")
    assert reason in str(caught.value)


def test_unknown_settings_are_refused():
    with pytest.raises(InvalidInput, match="prot"):
        read_settings({"prot": 80})
    found = unknown_variables({"BIDCASCADE_PROT": "", "bidcascade_port": "", CACHE_VARIABLE: ""})
    assert found == ["BIDCASCADE_PROT"]


@pytest.mark.parametrize(
    ("table", "extra", "expected"),
    [
        ("sayc", "", {"sayc": "sayc"}),
        ("tables/club.jsonl", "sayc", {"club": "tables/club.jsonl", "sayc": "sayc"}),
        ("house=tables/a=b", " x = y,z", {"house": "tables/a=b"}),
    ],
)
def test_tables(table, extra, expected):
    if "x =" in extra:
        with pytest.raises(InvalidInput, match="got 'x = y'"):
            read_settings({"table": table, "extra_tables": extra})
        assert read_settings({"table": table}).table_paths() == expected
        return
    assert read_settings({"table": table, "extra_tables": extra}).table_paths() == expected


SHIPPED = ["sayc", "acol", "light-openings", "precision", "two-over-one"]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, SHIPPED),
        ({"PORT": "8001", "OVERLAYS": "fixes.csv"}, SHIPPED),
        ({"TABLE": "sayc"}, ["sayc"]),
        ({"TABLE": "mine.bidding"}, ["mine"]),
        ({"EXTRA_TABLES": "old=tables/old"}, ["sayc", "old"]),
        ({"TABLE": "", "EXTRA_TABLES": ""}, SHIPPED),
    ],
)
def test_every_shipped_system_is_served_unless_tables_are_named(variables, expected, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(PREFIX + name, value)
    assert [*with_shipped_tables(read_settings({"table": None})).table_paths()] == expected


@pytest.mark.parametrize("written", ["=x", "a b=x", "a/b=", "../=x", "..", "a" * 65 + "=x"])
def test_names_that_no_table_may_have(written):
    with pytest.raises(ValueError, match="expected a table as name=path"):
        split_table(written)


def test_no_table_comes_twice():
    with pytest.raises(InvalidInput, match="'sayc' twice"):
        read_settings({"extra_tables": ("sayc",)})


@pytest.mark.checkout
@pytest.mark.page("docs/settings.md")
def test_page_names_every_setting():
    page = page_text("docs/settings.md")
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(name for name, _ in rows) == NAMES
    assert all(variable == f"{PREFIX}{name.upper()}" for name, variable in rows)
    assert CACHE_VARIABLE in page
