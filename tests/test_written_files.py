"""The files that ``docs/write_files.py`` writes are those that it would write today."""

import importlib.util

import pytest

from tests.support_docs import CHECKOUT, page_text

pytestmark = pytest.mark.checkout


@pytest.fixture(scope="module")
def written():
    spec = importlib.util.spec_from_file_location("write_files", CHECKOUT / "docs/write_files.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        # where it lies when it is run
        patch.syspath_prepend(CHECKOUT / "docs")
        spec.loader.exec_module(module)
        return module.written_files()


@pytest.mark.parametrize(
    "name",
    [
        "docs/augmented-columns.md",
        "docs/settings.md",
        "editors/vscode/syntaxes/bidding.tmLanguage.json",
        "page/static/engine/expressions/expression_grammar_data.js",
        "page/static/engine/language/grammar_data.js",
        "page/static/engine/language/tree_data.js",
        "page/static/engine/language/phrases_data.js",
        "page/static/engine/rows/rows_data.js",
        "systems/language/grammar/bidding.json",
        "table/language/expressions.json",
    ],
)
def test_file_is_up_to_date(written, name):
    assert page_text(name) == written[name], "write it anew: python docs/write_files.py"


def test_the_table_of_results_is_made_of_its_rows():
    from docs.make_bench import kept_rows, page_of

    assert page_text("docs/bench.md") == page_of(kept_rows())
