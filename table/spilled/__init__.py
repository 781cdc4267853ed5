"""Tables of more rows than fit the memory: sorted runs of rows on the disk, built part by part."""
