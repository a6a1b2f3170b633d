"""Addresses of machines on a network."""

from ipaddress import ip_address


def is_local(host: str) -> bool:
    """Whether an address is of this machine alone; a name other than localhost may be anybody's."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
