"""Tests that CI tries again when they fail: what else the machine does decides whether they pass.

All others pass at once or not at all, and so does everything where the variable ``CI`` is not set.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
BROWSER = "browser"
"""A test that has this fixture waits for pages, which a busy machine draws late."""
TIMES = 2
DELAY_S = 3

FLAKY = {
    # a service in a process of its own, and sockets
    "service/api/server/test_connections.py": "connections end in time",
    "service/api/server/test_large_bodies.py::test_nobody_waits_for_a_large_body": "in time",
    "service/api/server/test_rest_server.py": "signals, sockets and clients that leave",
    "service/api/test_rest_systems.py::test_a_signal_loads_tables_anew": "a signal",
    "service/api/server/test_shutdown.py": "requests race with the end of the service",
    "service/api/server/test_under_load.py": "requests race with signals",
    "service/client/test_client_service.py": "a service and its jobs",
    "service/test_leads_rest.py::test_a_client_that_is_gone_frees_the_solvers": "within seconds",
    "service/test_leads_rest.py::test_sixteen_at_once_on_a_busy_machine_answer_what_they_have": (
        "two cores are kept busy on purpose"
    ),
    "service/test_leads_rest.py::test_sixteen_at_once_while_workers_are_killed": "kills",
    "service/api/test_systems_rest.py::test_memory_is_limited": (
        "a process at the end of its memory may stand still instead of failing"
    ),
    # clocks and threads of this process
    "service/api/server/test_batcher.py::test_the_event_loop_runs_while_the_worker_works": (
        "in time"
    ),
    "service/api/test_problems.py::test_an_answer_that_takes_too_long": "50 ms must be enough",
    "service/api/server/test_same_site.py::test_wrong_keys_take_nothing_from_right_ones": "in time",
    # processes of jobs, and of batches over several devices and machines
    "engine/archive/test_interruptions.py": "another process adds meanwhile",
    "service/jobs/test_archive_jobs.py": "kills, and jobs that end in time",
    "service/jobs/test_bad_jobs.py::test_uploads_that_drip_give_their_place_back": "end in time",
    "service/jobs/test_disturbed_jobs.py": "kills, locks and clocks",
    "service/jobs/test_job_runs.py": "kills, and jobs that end in time",
    "service/jobs/test_job_server.py": "kills of services with jobs",
    "service/jobs/test_kills.py": "kills",
    "engine/runs/test_scale_out.py": "Dask's scheduler and workers are reached in time",
    "service/jobs/test_store.py::test_killed_at_any_moment": "kills",
    # commands that are ended in their middle
    "engine/runs/test_augment_dd.py::test_a_killed_run_is_resumed_with_the_same_bytes": "a kill",
    "engine/runs/test_augment_wide.py::test_nothing_is_left_of_an_interrupted_run": "a signal",
    "engine/runs/test_batch.py::test_the_first_part_is_soon_there": "parts follow the speed",
    "service/test_disturbed_import.py::test_killed_at_any_moment": "kills",
    "service/cli/test_cli.py::test_interrupted_from_the_keyboard": "a signal",
    "service/cli/test_cli.py::test_whoever_reads_may_stop": "a pipe is closed",
    # processes that read, solve or keep
    "inference/double_dummy/test_double_dummy_pool.py": "kills, and calls that end in time",
    "seats/test_foreign_engines.py": "kills, and engines that end in time",
    "seats/test_table_manager.py": "sockets, and clients that are late",
    "service/cli/test_cli_table_manager.py": "sockets",
    "service/test_foreign_servers.py": "sockets, and servers that are late",
    "loaders/test_damaged.py": "files are decoded by another process, in bounded time",
}
"""Files, or functions in them, and what they depend on."""


def allow_second_tries(items: Iterable[pytest.Item]) -> None:
    """Let those named here, and those in a browser, be tried again, in CI alone."""
    if "CI" not in os.environ:
        return
    for item in items:
        file = item.path.relative_to(FOLDER).as_posix()
        named = file in FLAKY or f"{file}::{item.name.partition('[')[0]}" in FLAKY
        if named or BROWSER in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=TIMES, reruns_delay=DELAY_S))
