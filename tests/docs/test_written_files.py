"""The files that ``docs/write_files.py`` writes are those that it would write today."""

import importlib.util

import pytest

from tests.support.docs import CHECKOUT, page_text

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


def test_files_are_up_to_date(written):
    stale = [name for name, text in written.items() if page_text(name) != text]
    assert not stale, "write them anew: python docs/write_files.py"


def test_the_table_of_results_is_made_of_its_rows():
    from docs.make_bench import kept_rows, page_of

    assert page_text("docs/bench.md") == page_of(kept_rows())
