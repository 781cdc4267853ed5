"""Files as bytes: encodings, zip files, files that are written whole or not at all."""
