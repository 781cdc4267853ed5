"""What can be asked, field by field: the REST service and the command line both read it here.

A question is a frozen dataclass of the standard library, so that ``--help`` loads no pydantic. Its
fields carry what pydantic needs to check and describe a request, and how a command takes them.

``registry`` lists all questions, folders have them by subject; ``parts`` is what they are made of.
"""
