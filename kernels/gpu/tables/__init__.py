"""Tables on a device: hands packed, bit columns, counts, lists and the one auction."""
