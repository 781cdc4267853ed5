"""The CUDA backend behind ``kernels.cuda``: kernels (``*.cu``) and the host code that runs them.

``tables`` and ``systems`` have what bids by either; what both stand on lies beside them.

Nothing here imports cupy; all of it works on any :class:`~bidcascade.kernels.cuda_device.Device`.
"""
