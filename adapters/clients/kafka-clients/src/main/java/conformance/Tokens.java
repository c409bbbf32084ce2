package conformance;

import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.callback.Callback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;

/** Gives whoever logs in by OAUTHBEARER a token of the user, which nobody signed. */
public final class Tokens implements AuthenticateCallbackHandler {
    private static final String TOKEN = "eyJhbGciOiJub25lIn0"
        + ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9.";
    private static final long NEVER_MS = 4_102_444_800_000L;

    @Override
    public void configure(Map<String, ?> config, String mechanism, List<AppConfigurationEntry> entries) {
    }

    @Override
    public void close() {
    }

    @Override
    public void handle(Callback[] callbacks) {
        for (var each : callbacks) {
            if (each instanceof OAuthBearerTokenCallback wanted) {
                wanted.token(new Token());
            }
        }
    }

    private static final class Token implements OAuthBearerToken {
        @Override
        public String value() {
            return TOKEN;
        }

        @Override
        public Set<String> scope() {
            return Set.of();
        }

        @Override
        public long lifetimeMs() {
            return NEVER_MS;
        }

        @Override
        public String principalName() {
            return "one,two=three";
        }

        @Override
        public Long startTimeMs() {
            return null;
        }
    }
}
