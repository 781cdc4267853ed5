"""What programs share: machine, options, reports, a server, an HTTP client, a browser."""
