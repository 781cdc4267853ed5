"""x."""
from lark import UnexpectedInput
from .statements import Fault
def explain(text: str, error: UnexpectedInput) -> Fault:
    return Fault(getattr(error,'pos_in_stream',0) or 0, str(error)[:300])
