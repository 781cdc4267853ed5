"""Deal frames as Parquet files, which are decoded in a process of their own."""
