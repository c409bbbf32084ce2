"""Proxies as targets: the suite is the client in front of a proxy and the brokers behind it.

A rule is decided by a dialogue with two ends (`dialogues`): a frame that is sent to the proxy has
to arrive at the broker (`Arrive`), and a frame that the broker writes (`Answer`) has to come back.
One dialogue decides several rules, in the order in which they can break: a frame arrives, can be
read, and means the same. `upstream` plays three brokers: requests that carry the run's client id
wait for the dialogue, and the reference broker answers the proxy's own requests.

If a dialogue fails, `trials` repeats it without the proxy, and sends a plain request of that API
and version through the proxy: so a failure is the proxy's, and is charged once. Mutants of
`reference.proxy` are judged in this process (`in_process`). The list in `--rewrites` of the things
that a proxy changes decides which of those rules are checked, and which other parts have to stay
the same. `security` has the TLS and logins of both ends.
"""
