"""The properties of Kafka's and librdkafka's clients, and what can't be read of them."""

from __future__ import annotations

import re
import ssl
from pathlib import Path

import pytest

from conformance.brokers.connection import security_properties
from conformance.brokers.connection.client_keys import READ
from conformance.brokers.connection.endpoint import BadSecurity, Security
from conformance.brokers.connection.security import subject_of
from conformance.brokers.connection.security_properties import Properties
from conformance.errors import USAGE
from tests.brokers.connection.secured import Authority, security, trusting

JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SASL = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
SECRET = "not-to-be-shown"


def refused(folder: Path, **properties: object) -> str:
    with pytest.raises(BadSecurity) as error:
        security(folder, **properties)
    assert error.value.exit_code == USAGE
    assert error.value.hint
    assert SECRET not in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def read(folder: Path, text: str) -> Properties:
    path = folder / "client.properties"
    path.write_text(text, "utf-8")
    return Properties.read(path)


def test_a_file_that_says_nothing_of_security_is_plaintext(tmp_path: Path) -> None:
    assert security(tmp_path, bootstrap_servers="a:1", acks="all") == Security()


def test_kafkas_login_module_names_user_and_password(tmp_path: Path) -> None:
    found = security(tmp_path, **SASL, sasl_jaas_config=f'{JAAS} username="a" password="b c";')
    assert (found.mechanism, found.username, found.password) == ("PLAIN", "a", "b c")
    assert found.principal == "User:a"


def test_librdkafka_names_them_as_properties(tmp_path: Path) -> None:
    found = security(
        tmp_path,
        security_protocol="sasl_plaintext",
        sasl_mechanisms="SCRAM-SHA-512",
        sasl_username="a",
        sasl_password="b",
    )
    assert (found.mechanism, found.username, found.password) == ("SCRAM-SHA-512", "a", "b")


def test_a_login_is_none_where_the_protocol_has_none(tmp_path: Path) -> None:
    assert security(tmp_path, sasl_mechanism="PLAIN", sasl_username="a") == Security()


def test_a_secret_may_stand_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", 'a"b\\c')
    found = security(
        tmp_path,
        **SASL,
        sasl_jaas_config=f'{JAAS} username="a" password="${{env:KAFKA_PASSWORD}}";',
    )
    assert found.password == 'a"b\\c'


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("b\n")
    where = f"${{file:{tmp_path / 'password'}}}"
    assert security(tmp_path, **SASL, sasl_username="a", sasl_password=where).password == "b"


def test_a_secret_may_be_a_property_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("a.password=b\nc=d\n")
    where = f"${{file:{tmp_path / 'secrets'}:a.password}}"
    assert security(tmp_path, **SASL, sasl_username="a", sasl_password=where).password == "b"
    said = refused(tmp_path, **SASL, sasl_username="a", sasl_password=where.replace("a.p", "p"))
    assert "there is no password in " in said


def test_what_nobody_asks_for_is_not_looked_up(tmp_path: Path) -> None:
    assert security(tmp_path, **{"transactional.id": "${env:NOT_SET}"}) == Security()


def test_a_variable_that_is_not_set_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, **SASL, sasl_username="a", sasl_password="${env:NOT_SET_AT_ALL}")
    assert "sasl.password names the variable NOT_SET_AT_ALL" in said


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, **SASL, sasl_username="a", sasl_password="${file:/no/such}")
    assert "/no/such, which sasl.password names, can not be read: No such file" in said


def test_lines_are_read_as_java_reads_them(tmp_path: Path) -> None:
    text = "# no\n! no\n\n a = 1\nb:2\nc=x\\\n   y\\\\\nd=\\u0041\\tB\\n\ne=\nf=a=b:c"
    found = read(tmp_path, text)
    assert [found.get(name) for name in "abcdef"] == ["1", "2", "xy\\", "A\tB", "", "a=b:c"]


def test_a_line_that_is_no_property_is_told_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(BadSecurity, match=r"line 3 of .* is no property") as error:
        read(tmp_path, f"a=1\n\n{SECRET}\n")
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a=" + b"b" * 2_000_000])
def test_what_is_no_text_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(BadSecurity):
        Security.read(tmp_path / "a")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSecurity, match="can not be read: No such file or directory"):
        Security.read(tmp_path / "none")


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"security_protocol": SECRET}, "there are PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({"security_protocol": "SASL_SSL"}, "sasl.mechanism is not set"),
        ({**SASL, "sasl_mechanism": "GSSAPI"}, "sasl.mechanism GSSAPI is not supported"),
        (SASL, "PLAIN has no user"),
        ({**SASL, "sasl_username": "a"}, "PLAIN has no password"),
        ({**SASL, "sasl_jaas_config": f'{JAAS} password="{SECRET}'}, "can not be read"),
        ({**SASL, "sasl_mechanism": "OAUTHBEARER"}, "has no token"),
        (
            {**SASL, "sasl_mechanism": "OAUTHBEARER", "sasl_oauthbearer_token": f"{SECRET} a"},
            "is no token",
        ),
        ({"security_protocol": "SSL", "ssl_ca_location": "/no/such"}, "/no/such, which ssl.ca"),
        ({"security_protocol": "SSL", "ssl_truststore_certificates": SECRET}, "in PEM"),
        ({"security_protocol": "SSL", "ssl_truststore_location": "/no/such"}, "can not be read"),
        (
            {
                "security_protocol": "SSL",
                "ssl_truststore_location": "a",
                "ssl_truststore_type": "JKS",
            },
            "ssl.truststore.type JKS is not supported",
        ),
        ({"security_protocol": "SSL", "ssl_certificate_location": "/no"}, "names: no such file"),
    ],
)
def test_what_can_not_be_done_is_told(
    tmp_path: Path, properties: dict[str, object], says: str
) -> None:
    assert says in refused(tmp_path, **properties)


def test_a_store_of_javas_is_told_where_no_type_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.jks").write_bytes(b"\xfe\xed\xfe\xed\0\0")
    said = refused(tmp_path, security_protocol="SSL", ssl_truststore_location=tmp_path / "a.jks")
    assert "not in PEM" in said


def test_a_broker_is_verified_by_default(tmp_path: Path) -> None:
    tls = security(tmp_path, security_protocol="SSL").tls
    assert tls is not None
    assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("value", ["", "none"])
def test_the_name_alone_may_go_unverified(tmp_path: Path, value: str) -> None:
    tls = security(
        tmp_path, security_protocol="SSL", ssl_endpoint_identification_algorithm=value
    ).tls
    assert tls is not None
    assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, False)


def test_the_certificate_may_go_unverified(tmp_path: Path) -> None:
    tls = security(
        tmp_path, security_protocol="SSL", enable_ssl_certificate_verification="false"
    ).tls
    assert tls is not None
    assert tls.verify_mode == ssl.CERT_NONE


def test_an_authority_may_be_a_file(tmp_path: Path) -> None:
    authority = Authority()
    (tmp_path / "ca.pem").write_text(authority.pem)
    for name in ("ssl_ca_location", "ssl_truststore_location"):
        tls = security(tmp_path, security_protocol="SSL", **{name: tmp_path / "ca.pem"}).tls
        assert tls is not None
        assert len(tls.get_ca_certs()) == 1


def test_a_certificate_tells_who_the_client_is(tmp_path: Path) -> None:
    authority = Authority()
    file = authority.client(tmp_path, "carol")
    kafka = security(tmp_path, **trusting(authority.pem), ssl_keystore_location=file)
    librdkafka = security(
        tmp_path,
        **trusting(authority.pem),
        ssl_certificate_location=file,
        ssl_key_location=file,
    )
    text = file.read_text().replace("\n", "\\n")
    key, begin, chain = text.partition("-----BEGIN CERTIFICATE")
    inline = security(
        tmp_path,
        **trusting(authority.pem),
        ssl_keystore_key=key,
        ssl_keystore_certificate_chain=begin + chain,
    )
    assert kafka.principal.startswith("User:CN=carol,")
    assert kafka.principal == librdkafka.principal == inline.principal


@pytest.mark.parametrize("given", ["", "wrong"])
def test_a_key_with_a_password_is_not_opened_without(tmp_path: Path, given: str) -> None:
    said = refused(
        tmp_path,
        security_protocol="SSL",
        ssl_keystore_location=locked(tmp_path, SECRET),
        ssl_key_password=given,
    )
    assert "is ssl.key.password right?" in said


def test_a_key_with_a_password_is_opened_by_it(tmp_path: Path) -> None:
    found = security(
        tmp_path,
        security_protocol="SSL",
        ssl_keystore_location=locked(tmp_path, SECRET),
        ssl_key_password=SECRET,
    )
    assert found.subject


def locked(folder: Path, password: str) -> Path:
    """A certificate and its key, which only this password opens."""
    from cryptography.hazmat.primitives import serialization as forms

    leaf = Authority().ca.issue_cert(common_name="alice")
    key = forms.load_pem_private_key(leaf.private_key_pem.bytes(), None).private_bytes(
        forms.Encoding.PEM,
        forms.PrivateFormat.PKCS8,
        forms.BestAvailableEncryption(password.encode()),
    )
    path = folder / "locked.pem"
    path.write_bytes(key + leaf.cert_chain_pems[0].bytes())
    return path


def test_a_token_may_be_made_of_claims(tmp_path: Path) -> None:
    claims = 'unsecuredLoginStringClaim_sub="alice" unsecuredLoginListClaim_scope="|a|b"'
    found = security(
        tmp_path,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="OAUTHBEARER",
        sasl_jaas_config=f"Module required {claims};",
    )
    assert found.principal == "User:alice"
    assert subject_of(found.password) == "alice"


@pytest.mark.parametrize("token", ["", "a", "a.b.c", "a.bnVsbA.", "a.e30.", "a.eyJzdWIiOjF9."])
def test_a_token_that_we_can_not_read_has_no_subject(token: str) -> None:
    assert subject_of(token) == ""


def test_nothing_shows_the_secret(tmp_path: Path) -> None:
    found = security(tmp_path, **SASL, sasl_username="a", sasl_password=SECRET)
    assert SECRET not in repr(found)
    assert SECRET not in repr(Properties.read(tmp_path / "client.properties"))
    assert SECRET not in found.hide(f"you said {SECRET}")
    assert found.hide("no") == "no"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("security.protocl", "did you mean security.protocol?"),
        ("sasl.mechansim", "did you mean sasl.mechanism?"),
        ("linger.m", "did you mean linger.ms?"),
        ("nothing.of.the.sort", "leave it out"),
    ],
)
def test_a_property_that_no_client_has_is_refused(tmp_path: Path, name: str, meant: str) -> None:
    told = refused(tmp_path, **{name: SECRET})
    assert f"no client of Kafka has the property {name!r} in " in told
    assert meant in told


def test_what_only_other_clients_look_at_is_told_once(tmp_path: Path) -> None:
    given = {"acks": "all", "debug": "all", "bootstrap.servers": "a:1", "config.providers.x": "y"}
    found = security(tmp_path, **given, security_protocol="PLAINTEXT")
    assert found.note.endswith("client.properties: acks, config.providers.x, debug")
    assert security(tmp_path, security_protocol="PLAINTEXT").note == ""


def test_whatever_is_read_is_known_to_be() -> None:
    folder = Path(security_properties.__file__).parent
    code = "".join(file.read_text("utf-8") for file in folder.glob("security*.py"))
    names = set(re.findall(r'["\']((?:security|sasl|ssl|enable)(?:\.\w+)+)["\']', code))
    stores = {f"ssl.{store}.{what}" for store in ("truststore", "keystore") for what in _OF_STORE}
    assert names - {"ssl.keystore", "ssl.truststore", OF_A_LISTENER} | stores == READ


OF_A_LISTENER = "ssl.client.auth"
_OF_STORE = ("type", "password", "location")
