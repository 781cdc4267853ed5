# bidcascade as a service. The CPU engine by default; without keys for this machine only (to let
# others ask, give it BIDCASCADE_API_KEYS_FILE instead, see docs/operations.md):
#   docker build -t bidcascade . && docker run -p 127.0.0.1:8000:8000 -e BIDCASCADE_AUTH=false bidcascade
# On a CUDA base with the extra "gpu" (the toolkit of NVIDIA for containers must be on the host):
#   docker build --build-arg GPU=1 -t bidcascade:gpu . && docker run --gpus all \
#     -p 127.0.0.1:8000:8000 -e BIDCASCADE_AUTH=false bidcascade:gpu

# The base images are named by digest, that of the index of all platforms, so that a build is the same
# tomorrow; a tag beside a digest is for people. That of Python is listed in docker-library/repo-info
# (repos/python/remote/3.12-slim-trixie.md), which says what the official images are. To renew one:
#   docker buildx imagetools inspect python:3.12-slim-trixie --format "{{.Manifest.Digest}}"

ARG GPU=0

FROM python:3.12-slim-trixie@sha256:229a2c5bfa27522db7815ea81f9bed70af17ccb9de9fc7ad142b1877b5830d36 AS python-0

FROM nvidia/cuda:13.0.1-runtime-ubuntu24.04@sha256:c3fde347d52d578c84fd644bc177bc7ec333feaf11550d990da4084d7612e4c7 AS python-1
# Ubuntu 24.04 ships Python 3.12; versions stay open so that security updates come in
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

# hadolint ignore=DL3006
FROM python-${GPU} AS build
ARG GPU
# Compiles the core of bidding; the last stage has no compiler
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY . .
# The README's steps; the GPU image adds the extra of the same name
RUN python3 -m venv .venv \
    && if [ "$GPU" = 1 ]; then extra='[gpu]'; else extra=''; fi \
    && .venv/bin/pip install --no-cache-dir -q ".${extra}"

# hadolint ignore=DL3006
FROM python-${GPU}
RUN useradd --uid 10001 --user-group --create-home --home-dir /var/lib/bidcascade bidcascade \
    && install -d -o bidcascade -g bidcascade /var/cache/bidcascade
# The environment keeps its path: its scripts name it
COPY --from=build /app/.venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    XDG_CACHE_HOME=/var/cache/bidcascade \
    CUPY_CACHE_DIR=/var/cache/bidcascade/cupy
WORKDIR /var/lib/bidcascade
USER 10001
# Parsed texts, compiled bidding tables, CuPy's kernels; keep it between runs for a fast start
VOLUME /var/cache/bidcascade
EXPOSE 8000
# Nothing is compiled at a start; large tables are read and compared with their digests
HEALTHCHECK --interval=30s --timeout=5s --start-period=600s --retries=3 \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
# uvicorn finishes the requests at hand on SIGTERM
STOPSIGNAL SIGTERM
CMD ["bidcascade", "serve", "--host", "0.0.0.0", "--port", "8000"]
