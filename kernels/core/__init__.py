"""The core of bidding: C++ that the processor, a GPU and a browser run, and the library of it.

Here stand what every file includes, how it is built (:mod:`.build`) and how that is loaded
(:mod:`.library`). Folders have the rest by subject: ``hands``, ``text``, ``places``, ``tables``,
``files`` and ``deals``, headers with the functions of Python that call them.
"""
