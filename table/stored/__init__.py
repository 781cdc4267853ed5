"""Tables in folders: columns and a manifest, frames beside them, folders of what is being made."""
