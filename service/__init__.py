"""What users meet: the command line, the clients, the queue of jobs and the REST service."""
