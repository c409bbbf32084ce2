package conformance;

import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.*;

/** Apache Kafka's own codec as a testee: its generated classes, found by name so that any release will do. */
public final class Testee {
    static final String TAGS = "_unknownTaggedFields";
    private static final List<String> OPS = List.of("roundtrip", "decode", "encode", "decode-request",
            "encode-request", "decode-response", "encode-response");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> CLASSES = new TreeMap<>(); // of messages, by name
    private static final com.sun.management.ThreadMXBean MEMORY =
            java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);

    public static void main(String[] arguments) throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator))
            if (path.endsWith(".jar")) new java.util.jar.JarFile(path).stream().map(entry -> entry.getName())
                    .filter(file -> file.endsWith("JsonConverter.class"))
                    .map(file -> file.replaceAll("JsonConverter.*", "").replace('/', '.'))
                    .forEach(type -> CLASSES.put(type.replaceAll(".*\\.|(?<=Request|Response|Header)Data$", ""), type));
        var in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        var out = new PrintWriter(new OutputStreamWriter(System.out, "UTF-8"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(answer(line) + "\n");
            if (!in.ready()) out.flush(); // else the answer to the request at hand takes this one along
        }
    }

    private static ObjectNode answer(String line) {
        long before = MEMORY.getCurrentThreadAllocatedBytes();
        ObjectNode answer = JSON.createObjectNode();
        try {
            JsonNode request = JSON.readTree(line);
            String op = request.path("op").asText();
            answer.set("id", request.get("id"));
            if (op.equals("hello")) hello(answer);
            else if (!OPS.contains(op)) answer.put("unsupported", op);
            else if (!Records.perform(op, request, answer) && !RecordSets.perform(op, request, answer) && !Primitives.perform(op, request, answer)) perform(op, request, answer);
        } catch (Throwable thrown) {
            Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            if (thrown != cause && cause instanceof UnsupportedVersionException) // of the converter: no writer was asked
                return answer.retain("id").put("unsupported", cause.getMessage());
            answer.retain("id", "stage").put("error", cause.getClass().getSimpleName())
                    .put(refuses(cause) ? "rejected" : "crashed", cause.toString());
        }
        return answer.put("allocated", MEMORY.getCurrentThreadAllocatedBytes() - before);
    }

    /** An exception, or the error by which snappy-java tells that bytes are none of its own. */
    private static boolean refuses(Throwable cause) {
        return !(cause instanceof Error) || cause.getClass().getSimpleName().equals("SnappyError");
    }

    private static void hello(ObjectNode answer) throws Exception {
        Properties about = new Properties();
        about.load(Message.class.getResourceAsStream("/kafka/kafka-version.properties"));
        Records.hello(answer.put("protocol", 1).put("name", "kafka-clients").put("language", "java").put("window", 64)
                .put("version", about.getProperty("version")).put("definitions", about.getProperty("version"))
                .put("unknownTags", "kept").put("int64", "number").put("defaults", true).set("ops", JSON.valueToTree(OPS)));
        RecordSets.hello(answer);
        Primitives.hello(answer);
        for (String name : CLASSES.keySet()) {
            short low = empty(name).lowestSupportedVersion(), high = empty(name).highestSupportedVersion();
            if (low <= high) answer.withObject("/messages").putArray(name).add(low).add(high);
        }
    }

    private static void perform(String op, JsonNode request, ObjectNode answer) throws Exception {
        boolean named = !op.equals("decode-request"); // else the frame says what it holds
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(request.path("bytes").asText()));
        short version = named ? (short) request.path("version").asInt() : bytes.getShort(2);
        ApiMessage body = named ? empty(request.path("message").asText())
                : ApiMessageType.fromApiKey(bytes.getShort(0)).newRequest();
        if (version < body.lowestSupportedVersion() || version > body.highestSupportedVersion())
            throw new UnsupportedVersionException("no version " + version);
        boolean framed = op.contains("-"), asks = op.endsWith("-request");
        ApiMessage header = empty(asks ? "RequestHeader" : "ResponseHeader");
        short headerVersion = !framed ? -1 : asks ? ApiKeys.forId(body.apiKey()).requestHeaderVersion(version)
                : ApiKeys.forId(body.apiKey()).responseHeaderVersion(version);
        if (op.equals("roundtrip")) {
            answer.put("stage", "decode");
            body.read(new ByteBufferAccessor(bytes), version);
            answer.put("stage", "encode").put("bytes", Values.stream(body, version)).remove("stage");
        } else if (op.startsWith("decode")) {
            if (framed) answer.set("header", Values.decode(header, headerVersion, bytes));
            int start = bytes.position();
            try {
                answer.<ObjectNode>set("value", Values.decode(body, version, bytes)).put("remaining", bytes.remaining());
            } catch (RuntimeException refused) {
                ApiMessage old = framed ? Fallback.read(body, version, bytes.position(start)) : null;
                if (old == null) throw refused;
                answer.put("version", 0).putNull("remaining").set("value", Values.json(old, (short) 0));
            }
        } else {
            ObjectNode fields = (ObjectNode) request.get("header");
            if (asks) fields.put("requestApiKey", body.apiKey()).put("requestApiVersion", version);
            else if (framed) fields.retain("correlationId", TAGS);
            answer.put("bytes", (framed ? Values.encode(header, headerVersion, fields) : "") + Values.encode(body, version, request.get("value")));
        }
    }

    private static ApiMessage empty(String name) throws ReflectiveOperationException {
        return (ApiMessage) Class.forName(CLASSES.getOrDefault(name, name)).getConstructor().newInstance();
    }
}
