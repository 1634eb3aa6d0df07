"""Every exception that the package raises on purpose. Each message says what, where, and what to do."""


class RefereeError(Exception):
    """Base of all errors below; the command line prints it as one sentence and exits with 1."""


class CameraUnavailable(RefereeError):
    """The source of pictures can't be opened or has gone."""


class CalibrationError(RefereeError):
    """Camera, layout or markers don't fit together or can't be used."""


class ConfigError(RefereeError):
    """A setting, option, player list or piece set can't be used."""


class IncoherentLog(RefereeError):
    """An event can't follow the events before it, or a log can't be read."""


class UnknownGame(RefereeError):
    """No folder under referee/games has that name."""


class Refused(RefereeError):
    """Somebody asked for something that can't be done now; nothing was changed."""
