"""x."""
from .syntax_tree import SystemText, Define
from .sources import Sources
def known_names(defines: dict[str, Define]) -> frozenset[str]:
    return frozenset(defines)
def check_system(system: SystemText, sources: Sources) -> None:
    return None
