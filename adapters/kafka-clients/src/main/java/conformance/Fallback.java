package conformance;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.*;
import org.apache.kafka.common.requests.ApiVersionsResponse;

/**
 * ApiVersions with UNSUPPORTED_VERSION is answered in version 0, and Kafka's clients find that out (KIP-511). Their parser
 * tries version 0 whatever the error code is, even of a response that was cut short; it is asked for this one error alone.
 */
final class Fallback {
    private static final short UNSUPPORTED_VERSION = 35;

    private Fallback() {}

    /** What the parser of Kafka's clients makes of a response that its generated reader refused, null where it is not asked. */
    static ApiMessage read(ApiMessage refused, short version, ByteBuffer bytes) throws ReflectiveOperationException {
        boolean asked = refused.apiKey() == ApiKeys.API_VERSIONS.id && version > 0 && bytes.remaining() > 1;
        if (!asked || bytes.getShort(bytes.position()) != UNSUPPORTED_VERSION) return null;
        for (Method parse : ApiVersionsResponse.class.getMethods()) {
            if (!parse.getName().equals("parse")) continue;
            boolean plain = parse.getParameterTypes()[0] == ByteBuffer.class; // it is up to Kafka 4.0
            return ((ApiVersionsResponse) parse.invoke(null, plain ? bytes : new ByteBufferAccessor(bytes), version)).data();
        }
        return null;
    }
}
