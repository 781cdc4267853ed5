"""Requests and responses: who asks, within which limits, how answers and problems are written."""
