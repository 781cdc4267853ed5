"""Requests made from the API's own description, good and bad: no one breaks the service.

Schemathesis makes them; every answer must have a status, a media type and a body that the
description knows, and none may be a failure of the service.
"""

import contextlib
import importlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from bidcascade.engine.archive.adding import add_files
from bidcascade.engine.settings import Settings
from bidcascade.service.api.app import create_app
from tests.check.missing import missing
from tests.service.jobs.support_jobs import archive
from tests.support.examples import sized
from tests.support.service import ready_server

pytestmark = pytest.mark.slow

DOCUMENT = create_app(Settings()).openapi()
OPERATIONS = [(path, method) for path, found in DOCUMENT["paths"].items() for method in found]
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


CHECKS_IN_TURN = ("use_after_free", "ensure_resource_availability")


def checks_of(schemathesis, *names):
    """Checks by name."""
    checks = importlib.import_module("schemathesis.specs.openapi.checks")
    return [getattr(checks, name, None) or getattr(schemathesis.checks, name) for name in names]


@pytest.fixture(scope="module")
def schemathesis():
    try:
        return importlib.import_module("schemathesis")
    except ImportError:
        missing("schemathesis is not installed: pip install -e '.[fuzz]'")


@pytest.fixture(scope="module")
def api(schemathesis, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    # other tests may take the processor meanwhile
    options = {"extra_tables": "sayc", "request_timeout_ms": 150_000}
    options["archives_folder"] = folder / "archives"
    # boards for the questions to the archive that the description has as its example
    (folder / "few.lin").write_bytes(archive(20))
    add_files(folder / "archives" / "club", folder / "few.lin", jobs=1)
    with ready_server(folder, data_folder=folder / "data", **options) as (url, process):
        yield schemathesis.openapi.from_url(f"{url}/openapi.json")
        assert process.poll() is None


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{m} {p}" for p, m in OPERATIONS])
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_answers_are_as_described(schemathesis, api, path, method, mode):
    operation = api[path][method]
    chosen = checks_of(schemathesis, *CHECKS)

    @settings(
        max_examples=sized(2, 15),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode[mode]))
    def every_answer(case):
        case.call_and_validate(checks=chosen, timeout=60)

    # an operation without parameters and body has nothing that could be wrong
    with contextlib.suppress(Unsatisfiable):
        every_answer()


def test_operations_in_turn_are_as_described(schemathesis, api):
    """What one answer says is asked of another operation: jobs are begun, looked at, removed."""
    chosen = checks_of(schemathesis, *CHECKS, *CHECKS_IN_TURN)

    class Turns(api.as_state_machine()):
        def get_call_kwargs(self, case):
            return {"timeout": 200}

        def validate_response(self, response, case, **given):
            case.validate_response(response, checks=chosen, transport_kwargs=given)

    Turns.run(
        settings=settings(
            max_examples=sized(5, 10),
            stateful_step_count=8,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
    )
