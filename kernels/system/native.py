"""Groups of arrays that compiled functions take as one argument.

A function that is called a hundred times a place cannot afford to be handed sixty arrays one by
one, nor to count references to them. A :class:`Group` is a table of addresses and lengths in
memory; compiled code takes the address of that table and reads ``group.name`` as an array. The
Python object keeps the arrays alive, and callers keep the object.
"""

import hashlib
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from bidcascade.kernels.compiled import compiled

# nothing below allocates, and groups hold what they point to: no reference counts
native_inline = compiled(inline="always", _nrt=False)


def native(function: Any) -> Any:
    """Compile a function, once for all widths of signed and of narrow whole numbers.

    Numba would compile it anew for each, and for each literal; compiling is what a new
    installation waits for.
    """
    dispatcher = compiled(function, _nrt=False)
    choose = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: choose([_widened(one) for one in args], kws)
    return dispatcher


_NARROW: Final = {*types.signed_domain, types.uint8, types.uint16, types.uint32}


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return types.int64 if kind in _NARROW else kind


Field = tuple[Any, ...]
"""Type of an array's items, and its shape behind the first axis."""
_GROUPS: "dict[str, type[Group]]" = {}


class Group:
    """Arrays by name; a subclass says their types in ``fields``."""

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        _GROUPS[cls.__qualname__] = cls

    def __init__(self, **arrays: Any) -> None:
        self._arrays: dict[str, Any] = {}
        self._table = np.zeros((len(self.fields), 2), np.uint64)
        self.address = self._table.ctypes.data
        self._places = {name: number for number, name in enumerate(self.fields)}
        self.set(**arrays)

    def set(self, **arrays: Any) -> None:
        """Put other arrays in the place of some.

        Raises
        ------
        TypeError
            If an array is of another type or shape than its field, or not in one piece.
        """
        for name, array in arrays.items():
            kind, *tail = self.fields[name]
            if (
                array.dtype != np.dtype(kind)
                or array.shape[1:] != tuple(tail)
                or not array.flags.c_contiguous
            ):
                raise TypeError(
                    f"expected {name} as {np.dtype(kind)} with rows of shape {tuple(tail)}, "
                    f"got {array.dtype}{array.shape}"
                )
            self._arrays[name] = array
            self._table[self._places[name]] = array.ctypes.data, len(array)
        self.nbytes: int = sum(array.nbytes for array in self._arrays.values())

    def __getattr__(self, name: str) -> Any:
        arrays = self.__dict__.get("_arrays", {})
        if name in arrays:
            return arrays[name]
        raise AttributeError(name)


class GroupType(types.Type):
    """Numba's type of a group; its name says the layout, so that no other one's code is used."""

    def __init__(self, group: str) -> None:
        layout = [(name, np.dtype(kind).descr, *tail) for name, (kind, *tail) in fields_of(group)]
        super().__init__(name=f"Group({group}, {hash_of(layout)})")
        self.group = group


def fields_of(group: str) -> list[tuple[str, Field]]:
    """Fields of a group by its name, in order."""
    return list(_GROUPS[group].fields.items())


def hash_of(layout: object) -> str:
    """Digest of what a layout is written as."""
    return hashlib.sha256(repr(layout).encode()).hexdigest()[:16]


@typeof_impl.register(Group)
def _type_of(value: Group, _: Any) -> GroupType:
    return _group_type(type(value).__qualname__)


@cache
def _group_type(group: str) -> GroupType:
    return GroupType(group)


@register_model(GroupType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, group: Any) -> None:
        super().__init__(manager, group, cgutils.intp_t)


@unbox(GroupType)
def _unbox(_: Any, value: Any, tools: Any) -> NativeValue:
    address = tools.pyapi.object_getattr_string(value, "address")
    number = tools.pyapi.long_as_longlong(address)
    tools.pyapi.decref(address)
    return NativeValue(
        number, is_error=cgutils.is_not_null(tools.builder, tools.pyapi.err_occurred())
    )


def _array_type(group: str, name: str) -> tuple[int, tuple[int, ...], Any]:
    fields = _GROUPS[group].fields
    kind, *tail = fields[name]
    place = list(fields).index(name)
    return place, tuple(tail), types.Array(from_dtype(np.dtype(kind)), 1 + len(tail), "C")


@infer_getattr
class _Attributes(AttributeTemplate):
    key = GroupType

    def generic_resolve(self, group: GroupType, name: str) -> Any:
        if name in _GROUPS[group.group].fields:
            return _array_type(group.group, name)[2]
        return None


@lower_getattr_generic(GroupType)
def _read_array(context: Any, builder: Any, group: GroupType, address: Any, name: str) -> Any:
    place, tail, kind = _array_type(group.group, name)
    word = cgutils.intp_t
    table = builder.inttoptr(address, word.as_pointer())
    data = builder.load(builder.gep(table, [word(2 * place)]))
    length = builder.load(builder.gep(table, [word(2 * place + 1)]))
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [size]
    for axis in reversed(tail):
        strides.insert(0, strides[0] * axis)
    array = make_array(kind)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(data, context.get_data_type(kind.dtype).as_pointer()),
        shape=[length, *(word(axis) for axis in tail)],
        strides=[word(step) for step in strides],
        itemsize=word(size),
        meminfo=None,
    )
    return array._getvalue()
