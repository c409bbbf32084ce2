package conformance;

import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslClientFactory;
import javax.security.sasl.SaslException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.Login;

/** GSSAPI with a Kerberos that seals nothing, in place of Java's: a ticket is the user's name. */
public final class Unsealed {
    private static final String GSSAPI = "GSSAPI";
    private static final byte[] TICKET = "one,two=three".getBytes(StandardCharsets.UTF_8);

    private Unsealed() {
    }

    static void login(Map<String, Object> config) {
        Security.insertProviderAt(new Kerberos(), 1);
        config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        config.put(SaslConfigs.SASL_MECHANISM, GSSAPI);
        config.put(SaslConfigs.SASL_LOGIN_CLASS, Ticket.class);
        config.put(SaslConfigs.SASL_KERBEROS_SERVICE_NAME, "kafka");
        config.put(SaslConfigs.SASL_JAAS_CONFIG,
            "org.apache.kafka.common.security.plain.PlainLoginModule required;");
    }

    static final class Kerberos extends Provider {
        Kerberos() {
            super("Unsealed", "1", "GSSAPI that seals nothing");
            put("SaslClientFactory." + GSSAPI, Clients.class.getName());
        }
    }

    /** Makes clients for GSSAPI. */
    public static final class Clients implements SaslClientFactory {
        @Override
        public SaslClient createSaslClient(String[] mechanisms, String authorization, String protocol,
                String server, Map<String, ?> settings, CallbackHandler callbacks) {
            return new Client();
        }

        @Override
        public String[] getMechanismNames(Map<String, ?> settings) {
            return new String[] {GSSAPI};
        }
    }

    /** Says a ticket, nothing, and that it wants no security layer. */
    static final class Client implements SaslClient {
        private int said;

        @Override
        public byte[] evaluateChallenge(byte[] challenge) throws SaslException {
            said++;
            if (said < 3) {
                return said == 1 ? TICKET : new byte[0];
            }
            if (challenge.length != 4 || (challenge[0] & 1) == 0) {
                throw new SaslException("the broker has no connection without a security layer");
            }
            return new byte[] {1, challenge[1], challenge[2], challenge[3]};
        }

        @Override
        public boolean isComplete() {
            return said >= 3;
        }

        @Override
        public String getMechanismName() {
            return GSSAPI;
        }

        @Override
        public boolean hasInitialResponse() {
            return true;
        }

        @Override
        public byte[] unwrap(byte[] incoming, int offset, int length) {
            throw new IllegalStateException("there is no security layer");
        }

        @Override
        public byte[] wrap(byte[] outgoing, int offset, int length) {
            throw new IllegalStateException("there is no security layer");
        }

        @Override
        public Object getNegotiatedProperty(String name) {
            return null;
        }

        @Override
        public void dispose() {
        }
    }

    /** Has a ticket from the beginning. */
    public static final class Ticket implements Login {
        @Override
        public void configure(Map<String, ?> configs, String context, Configuration configuration,
                AuthenticateCallbackHandler callbacks) {
        }

        @Override
        public LoginContext login() {
            return null;
        }

        @Override
        public Subject subject() {
            Principal user = () -> "user";
            return new Subject(true, Set.of(user), Set.of(), Set.of());
        }

        @Override
        public String serviceName() {
            return "kafka";
        }

        @Override
        public void close() {
        }
    }
}
