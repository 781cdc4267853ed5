"""The core of bidding: C++ that the processor, a GPU and a browser run, and the library of it.

Here stand its headers, how they are built (:mod:`.build`) and how that is loaded
(:mod:`.library`).
"""
