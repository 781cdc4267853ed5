"""Work on whole files of deals: the archive job, augmented columns, files written whole."""
