"""Clients of the service for Python: :class:`Client`, and :class:`AsyncClient` for ``asyncio``.

They need ``httpx`` (extra ``client``) and load nothing of the engine.
"""

from bidcascade.service.client.clients import AsyncClient, Client, Retries, ServiceError

__all__ = ["AsyncClient", "Client", "Retries", "ServiceError"]
