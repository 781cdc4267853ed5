"""PBN and its older relative RBN, read and written."""
