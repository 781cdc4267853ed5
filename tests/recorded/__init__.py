"""Answers of the whole program to fixed questions: recorded, compared, and kept as digests.

``python -m tests.recorded OUT.jsonl`` records, ``--compare A.jsonl B.jsonl`` tells two records
apart, and ``--write`` renews ``digests.txt``, with which ``test_recorded.py`` compares.
"""
