"""Numbers of a running service for Prometheus, with the prefix ``bidcascade_``.

Label values come from fixed lists (routes as written in the code, never paths as asked for), so
that nobody can make the page grow by asking for what does not exist.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from bidcascade.service.api.shared.batcher import BatchSeen
    from bidcascade.service.api.shared.tables import Tables

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
OTHER_ROUTE: Final = "other"
"""Label of requests for what does not exist."""

_SECONDS: Final = (
    0.0005,
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.03,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    30.0,
)
_COUNTS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 65536)


class Metrics:
    """Metrics of one service.

    Parameters
    ----------
    tables : Tables
        Read when the page is asked for.
    queue : callable
        Gives deals that wait, and requests dropped because nobody waited for them any more.
    jobs : callable, optional
        Gives how many jobs there are in each state.
    """

    def __init__(
        self,
        tables: "Tables",
        queue: Callable[[], tuple[int, int]],
        jobs: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        registry = CollectorRegistry()
        self._registry = registry
        self._requests = Counter(
            "bidcascade_requests", "Requests answered.", ["route", "status"], registry=registry
        )
        self._request_seconds = Histogram(
            "bidcascade_request_seconds",
            "Seconds from a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._stage_seconds = Histogram(
            "bidcascade_stage_seconds",
            "Seconds of a request by stage.",
            ["stage"],
            buckets=_SECONDS,
            registry=registry,
        )
        # to look up a label costs more than to count; there are few of them
        self._requests_of = cache(self._requests.labels)
        self._seconds_of = cache(self._request_seconds.labels)
        self._seconds_in = cache(self._stage_seconds.labels)
        self._deals = Counter("bidcascade_deals", "Deals that were asked about.", registry=registry)
        self._batch_deals = Histogram(
            "bidcascade_batch_deals", "Deals of a batch.", buckets=_COUNTS, registry=registry
        )
        self._batch_requests = Histogram(
            "bidcascade_batch_requests", "Requests of a batch.", buckets=_COUNTS, registry=registry
        )
        self._batch_seconds = Histogram(
            "bidcascade_batch_seconds",
            "Seconds that the engine worked on a batch.",
            buckets=_SECONDS,
            registry=registry,
        )
        self.running = Gauge(
            "bidcascade_running_requests", "Requests being answered.", registry=registry
        )
        registry.register(_State(tables, queue, jobs))
        ProcessCollector(namespace="bidcascade", registry=registry)

    def saw_request(
        self, route: str, status: int, seconds: float, stages: Mapping[str, float]
    ) -> None:
        """Count an answer.

        Parameters
        ----------
        route : str
            As written in the code, ``/v1/tables/{name}``; :data:`OTHER_ROUTE` if there is none.
        """
        self._requests_of(route, str(status)).inc()
        self._seconds_of(route).observe(seconds)
        for stage, spent in stages.items():
            self._seconds_in(stage).observe(spent)

    def saw_batch(self, batch: "BatchSeen") -> None:
        """Count a batch of the engine."""
        self._deals.inc(batch.deals)
        self._batch_deals.observe(batch.deals)
        self._batch_requests.observe(batch.requests)
        self._batch_seconds.observe(batch.worked_s)

    def page(self) -> bytes:
        """Return the page that Prometheus reads."""
        return generate_latest(self._registry)


class _State(Collector):
    """What is read when the page is asked for."""

    def __init__(
        self,
        tables: "Tables",
        queue: Callable[[], tuple[int, int]],
        jobs: Callable[[], Mapping[str, int]],
    ) -> None:
        self._tables = tables
        self._queue = queue
        self._jobs = jobs

    def collect(self) -> Iterable[Metric]:
        """Read everything."""
        waiting, dropped = self._queue()
        yield GaugeMetricFamily("bidcascade_queue_deals", "Deals that wait.", value=waiting)
        yield CounterMetricFamily(
            "bidcascade_dropped_requests",
            "Requests that nobody waited for any more when their turn came.",
            value=dropped,
        )
        jobs = GaugeMetricFamily("bidcascade_jobs", "Jobs by state.", labels=["state"])
        for state, count in self._jobs().items():
            jobs.add_metric([state], count)
        yield jobs
        ready = self._tables.state == "ready"
        yield GaugeMetricFamily("bidcascade_ready", "1 if ready, else 0.", value=int(ready))
        if not ready:
            return
        yield InfoMetricFamily("bidcascade_backend", "The engine.", {"name": self._tables.backend})
        info = InfoMetricFamily("bidcascade_table", "Tables in use.", labels=["name"])
        failed = GaugeMetricFamily(
            "bidcascade_reload_failed", "1 if the table is older than its file.", labels=["name"]
        )
        for table in self._tables.opened():
            profile = table.engine.vocabulary.profile
            info.add_metric([table.name], {"digest": table.digest, "profile": profile})
            failed.add_metric([table.name], int(bool(table.reload_errors)))
        yield from (info, failed)
