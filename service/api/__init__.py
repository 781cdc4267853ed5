"""The REST service: the application, its routes by noun, bodies, problems, limits and keys."""
