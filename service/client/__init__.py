"""Clients of the service for Python: :class:`Client`, and :class:`AsyncClient` for ``asyncio``.

They need ``httpx`` (extra ``client``) and load nothing of the engine.
"""

from bidcascade.service.client.async_client import AsyncClient
from bidcascade.service.client.connection import Retries
from bidcascade.service.client.errors import ServiceError
from bidcascade.service.client.sync_client import Client

__all__ = ["AsyncClient", "Client", "Retries", "ServiceError"]
