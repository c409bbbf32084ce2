package conformance;

import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.*;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/** Apache Kafka's own codec as a testee: its generated classes, found by name so that any release will do. */
public final class Testee {
    private static final String TAGS = "_unknownTaggedFields";
    private static final List<String> OPS = List.of("roundtrip", "decode", "encode", "decode-request",
            "encode-request", "decode-response", "encode-response");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NOT_NAME = ".*\\.|(?<=Request|Response|Header)Data$"; // of a message
    private static final Map<String, String> CLASSES = new TreeMap<>(); // of messages, by name

    public static void main(String[] arguments) throws IOException {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator))
            if (path.endsWith(".jar")) new java.util.jar.JarFile(path).stream().map(entry -> entry.getName())
                    .filter(file -> file.endsWith("JsonConverter.class"))
                    .map(file -> file.replaceAll("JsonConverter.*", "").replace('/', '.'))
                    .forEach(type -> CLASSES.put(type.replaceAll(NOT_NAME, ""), type));
        var in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        var out = new PrintWriter(new OutputStreamWriter(System.out, "UTF-8"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(answer(line) + "\n");
            if (!in.ready()) out.flush(); // else the answer to the request at hand takes this one along
        }
    }

    private static ObjectNode answer(String line) {
        ObjectNode answer = JSON.createObjectNode();
        try {
            JsonNode request = JSON.readTree(line);
            String op = request.path("op").asText();
            answer.set("id", request.get("id"));
            if (op.equals("hello")) hello(answer);
            else if (OPS.contains(op)) perform(op, request, answer);
            else answer.put("unsupported", op);
        } catch (Throwable thrown) {
            Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            answer.retain("id", "stage").put("error", cause.getClass().getSimpleName())
                    .put(cause instanceof Error ? "crashed" : "rejected", cause.toString());
        }
        return answer;
    }

    private static void hello(ObjectNode answer) throws Exception {
        Properties about = new Properties();
        about.load(Message.class.getResourceAsStream("/kafka/kafka-version.properties"));
        answer.put("protocol", 1).put("name", "kafka-clients").put("language", "java").put("window", 64)
                .put("version", about.getProperty("version")).put("definitions", about.getProperty("version"))
                .put("unknownTags", "kept").put("int64", "number").set("ops", JSON.valueToTree(OPS));
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
            throw new org.apache.kafka.common.errors.UnsupportedVersionException("no version " + version);
        boolean framed = op.contains("-"), asks = op.endsWith("-request");
        ApiMessage header = empty(asks ? "RequestHeader" : "ResponseHeader");
        short headerVersion = !framed ? -1 : asks ? ApiKeys.forId(body.apiKey()).requestHeaderVersion(version)
                : ApiKeys.forId(body.apiKey()).responseHeaderVersion(version);
        if (op.equals("roundtrip")) {
            answer.put("stage", "decode");
            body.read(new ByteBufferAccessor(bytes), version);
            answer.put("stage", "encode").put("bytes", write(body, version)).remove("stage");
        } else if (op.startsWith("decode")) {
            if (framed) answer.set("header", decode(header, headerVersion, bytes));
            answer.<ObjectNode>set("value", decode(body, version, bytes)).put("remaining", bytes.remaining());
        } else {
            ObjectNode fields = (ObjectNode) request.get("header");
            if (asks) fields.put("requestApiKey", body.apiKey()).put("requestApiVersion", version);
            else if (framed) fields.retain("correlationId", TAGS);
            String start = framed ? encode(header, headerVersion, fields) : "";
            answer.put("bytes", start + encode(body, version, request.get("value")));
        }
    }

    private static ApiMessage empty(String name) throws ReflectiveOperationException {
        return (ApiMessage) Class.forName(CLASSES.getOrDefault(name, name)).getConstructor().newInstance();
    }

    private static String write(Message message, short version) {
        var cache = new ObjectSerializationCache();
        ByteBuffer bytes = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(bytes), cache, version);
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    }

    private static JsonNode decode(Message empty, short version, ByteBuffer bytes) throws Exception {
        empty.read(new ByteBufferAccessor(bytes), version);
        Class<?> converter = Class.forName(empty.getClass().getName() + "JsonConverter");
        Method write = converter.getMethod("write", empty.getClass(), short.class);
        return mend((JsonNode) write.invoke(null, empty, version), empty.getClass(), empty);
    }

    private static String encode(Message empty, short version, JsonNode json) throws Exception {
        Class<?> converter = Class.forName(empty.getClass().getName() + "JsonConverter");
        Method read = converter.getMethod("read", JsonNode.class, short.class);
        Message message = (Message) read.invoke(null, mend(json, empty.getClass(), null), version);
        mend(json, empty.getClass(), message);
        return write(message, version);
    }

    /** Recasts what converters refuse, then (with the message at hand) carries over what they leave out. */
    private static JsonNode mend(JsonNode json, Type type, Object value) throws Exception {
        if (json instanceof ArrayNode array) {
            Type list = type instanceof Class<?> collection ? collection.getGenericSuperclass() : type;
            Type item = ((ParameterizedType) list).getActualTypeArguments()[0];
            Iterator<?> values = value instanceof Collection<?> items ? items.iterator() : null;
            for (int i = 0; i < array.size(); i++)
                array.set(i, mend(array.get(i), item, values == null ? null : values.next()));
        } else if (json instanceof ObjectNode object) {
            for (var field : object.properties()) {
                if (field.getKey().equals(TAGS)) continue;
                Method part = ((Class<?>) type).getMethod(field.getKey());
                Object of = value == null ? null : part.invoke(value);
                field.setValue(mend(field.getValue(), part.getGenericReturnType(), of));
            }
            List<RawTaggedField> tags = value == null ? List.of() : ((Message) value).unknownTaggedFields();
            for (JsonNode tag : value == null ? List.<JsonNode>of() : object.path(TAGS))
                tags.add(new RawTaggedField(tag.get("tag").intValue(), tag.get("bytes").binaryValue()));
            for (RawTaggedField tag : tags)
                object.<ArrayNode>withArray(TAGS).addObject().put("tag", tag.tag()).put("bytes", tag.data());
        } else if (json.isTextual() && type == double.class) {
            return DoubleNode.valueOf(Double.parseDouble(json.asText()));
        } else if (json.isTextual() && type.getTypeName().matches("byte\\[]|.*\\.(ByteBuffer|BaseRecords)")) {
            return BinaryNode.valueOf(json.binaryValue()); // text will do from Kafka 3.5 on
        } else if (value != null && type.getTypeName().endsWith(".BaseRecords")) {
            var buffer = (ByteBuffer) value.getClass().getMethod("buffer").invoke(value);
            return BinaryNode.valueOf(MessageUtil.byteBufferToArray(buffer));
        }
        return json;
    }
}
