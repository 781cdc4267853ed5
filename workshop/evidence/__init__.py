"""From archives and announcements to tables: reading, mining, learning, vetting."""
