"""The page: what a browser gets, as files of the service or as a folder of its own."""
