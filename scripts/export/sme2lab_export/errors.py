"""The one kind of error that is the user's to put right."""


class ExportError(Exception):
    """Its text is for the user: what is wrong and what to do."""
