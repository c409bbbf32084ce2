package conformance;

import static org.apache.kafka.common.protocol.types.Type.*;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.*;

/** The types of the protocol one by one, by Kafka's own, in the order of the versions that ask for them. */
final class Primitives {
    private static final String MESSAGE = "Primitives";
    private static final List<String> OPS = List.of("decode", "encode", "roundtrip");
    private static final Type UNSIGNED_VARINT = new Type() { // the one that Kafka has as functions
        @Override public void write(ByteBuffer buffer, Object value) {
            new ByteBufferAccessor(buffer).writeUnsignedVarint((Integer) value);
        }

        @Override public Object read(ByteBuffer buffer) {
            return new ByteBufferAccessor(buffer).readUnsignedVarint();
        }

        @Override public Object validate(Object value) {
            return value;
        }

        @Override public int sizeOf(Object value) {
            return 5; // at most
        }
    };
    private static final List<String> NAMES = List.of("boolean", "int8", "int16", "int32", "int64", "uint16", "uint32",
            "float64", "uuid", "string", "nullableString", "compactString", "compactNullableString", "bytes",
            "nullableBytes", "compactBytes", "compactNullableBytes", "array", "nullableArray", "compactArray",
            "compactNullableArray", "stringArray", "compactStringArray", "varint", "varlong", "unsignedVarint");
    private static final List<Type> TYPES = List.of(BOOLEAN, INT8, INT16, INT32, INT64, UINT16, UNSIGNED_INT32,
            FLOAT64, UUID, STRING, NULLABLE_STRING, COMPACT_STRING, COMPACT_NULLABLE_STRING, BYTES,
            NULLABLE_BYTES, COMPACT_BYTES, COMPACT_NULLABLE_BYTES, new ArrayOf(INT32), ArrayOf.nullable(INT32), new CompactArrayOf(INT32),
            CompactArrayOf.nullable(INT32), new ArrayOf(STRING), new CompactArrayOf(COMPACT_STRING), VARINT, VARLONG, UNSIGNED_VARINT,
            TaggedFields.of());

    private Primitives() {}

    static void hello(ObjectNode answer) {
        answer.withObject("/messages").putArray(MESSAGE).add(0).add(TYPES.size() - 1);
    }

    /** Answers what is asked about types; false where something else is. */
    static boolean perform(String op, JsonNode request, ObjectNode answer) throws IOException {
        if (!OPS.contains(op) || !request.path("message").asText().equals(MESSAGE)) return false;
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(request.path("bytes").asText()));
        int version = request.path("version").asInt();
        Type type = TYPES.get(version);
        if (op.equals("encode")) {
            JsonNode value = request.get("value");
            answer.put("bytes", write(type, type instanceof TaggedFields ? tags(value) : parse(type, value.get(NAMES.get(version)))));
        } else if (op.equals("decode")) {
            ObjectNode value = answer.putObject("value");
            Object found = type.read(bytes);
            if (found instanceof Map<?, ?> tags) show(tags, value);
            else value.set(NAMES.get(version), show(found));
            answer.put("remaining", bytes.remaining());
        } else {
            Object found = type.read(bytes);
            answer.put("stage", "encode").put("bytes", write(type, found)).remove("stage");
        }
        return true;
    }

    private static String write(Type type, Object value) {
        Object valid = type.validate(value); // as every schema of Kafka's does
        ByteBuffer bytes = ByteBuffer.allocate(type.sizeOf(valid));
        type.write(bytes, valid);
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    }

    private static JsonNode show(Object value) {
        ArrayNode one = JsonNodeFactory.instance.arrayNode();
        if (value instanceof Object[] items) one.add(show(items));
        else if (value instanceof ByteBuffer buffer) one.add(bytes(buffer));
        else if (value instanceof Uuid || value instanceof String) one.add(value.toString());
        else one.addPOJO(value);
        return one.get(0);
    }

    private static ArrayNode show(Object[] items) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Object item : items) array.add(show(item));
        return array;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    private static void show(Map<?, ?> tags, ObjectNode value) {
        for (Object each : tags.values())
            value.withArray(Testee.TAGS).addObject().put("tag", ((RawTaggedField) each).tag()).put("bytes", ((RawTaggedField) each).data());
    }

    private static NavigableMap<Integer, Object> tags(JsonNode value) throws IOException {
        NavigableMap<Integer, Object> tags = new TreeMap<>();
        for (JsonNode each : value.path(Testee.TAGS)) {
            int tag = each.get("tag").intValue();
            tags.put(tag, new RawTaggedField(tag, each.get("bytes").binaryValue()));
        }
        return tags;
    }

    private static Object parse(Type type, JsonNode value) throws IOException {
        if (value.isNull()) return null;
        if (type.arrayElementType().isPresent()) {
            List<Object> items = new ArrayList<>();
            for (JsonNode item : value) items.add(parse(type.arrayElementType().get(), item));
            return items.toArray();
        }
        if (value.isBoolean()) return value.booleanValue();
        if (type == UUID) return Uuid.fromString(value.textValue());
        if (type == FLOAT64) return value.isTextual() ? Double.valueOf(value.textValue()) : value.doubleValue();
        if (value.isTextual()) return type.toString().contains("BYTES") ? ByteBuffer.wrap(value.binaryValue()) : value.textValue();
        if (type == INT8) return (byte) value.intValue();
        if (type == INT16) return (short) value.intValue();
        if (type == INT64 || type == UNSIGNED_INT32 || type == VARLONG) return value.longValue();
        return value.intValue();
    }
}
