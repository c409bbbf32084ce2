"""Connections to brokers: addresses, TLS, logins by SASL, and frames over them."""
