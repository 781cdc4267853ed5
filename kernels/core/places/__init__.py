"""The places of systems in the core: worked out, kept, and walked by deals."""
