"""What can be seen of a running service: metrics, stages of a request, logs."""
