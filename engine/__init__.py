"""What commands, jobs and the service share, without HTTP: engine, questions, runs, archives."""

import lazy_loader

# each when it is asked for: the command line answers --help without polars and the core
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
