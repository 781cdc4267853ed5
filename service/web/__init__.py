"""The web page: static files that ask the REST API from the browser."""
