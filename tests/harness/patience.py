"""How long a test waits. A limit only catches what hangs: slower builds get more by --patience."""
import os

_NAME = "WHERRY_TEST_PATIENCE"


def choose(factor):
    """Sets the factor for this process and the workers that it starts."""
    os.environ[_NAME] = str(factor)


def limit(seconds):
    return seconds * float(os.environ.get(_NAME, "1"))
