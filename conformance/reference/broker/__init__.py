"""Our own end of the protocol: a broker to be judged, and to be played."""
