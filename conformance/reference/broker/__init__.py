"""Our own end of the protocol: a broker that can be judged, and that other targets talk to."""
