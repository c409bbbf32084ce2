package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.protocol.*;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/** Messages from bytes to JSON and back, by Kafka's generated classes and the converters beside them. */
final class Values {
    private Values() {}

    static String write(Message message, short version) {
        var cache = new ObjectSerializationCache();
        ByteBuffer bytes = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(bytes), cache, version);
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    }

    /** As write, into a stream: Kafka's other writer, which takes buffers as its readers left them. */
    static String stream(Message message, short version) throws IOException {
        var cache = new ObjectSerializationCache();
        message.size(cache, version);
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStreamWritable(new DataOutputStream(bytes))) {
            message.write(out, cache, version);
        }
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    static JsonNode decode(Message empty, short version, ByteBuffer bytes) throws Exception {
        empty.read(new ByteBufferAccessor(bytes), version);
        return json(empty, version);
    }

    static JsonNode json(Message message, short version) throws Exception {
        Class<?> converter = Class.forName(message.getClass().getName() + "JsonConverter");
        Method write = converter.getMethod("write", message.getClass(), short.class);
        return mend((JsonNode) write.invoke(null, message, version), message.getClass(), message);
    }

    static String encode(Message empty, short version, JsonNode json) throws Exception {
        Class<?> converter = Class.forName(empty.getClass().getName() + "JsonConverter");
        Method read = converter.getMethod("read", JsonNode.class, short.class);
        Message message = empty;
        try {
            message = (Message) read.invoke(null, mend(json, empty.getClass(), null), version);
        } catch (InvocationTargetException refused) { // converters take no value without a field: only what it has is set
            if (!String.valueOf(refused.getCause().getMessage()).contains("unable to locate field")) throw refused;
        }
        Absent.set(json, message);
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
                if (field.getKey().equals(Testee.TAGS)) continue;
                Method part = ((Class<?>) type).getMethod(field.getKey());
                field.setValue(mend(field.getValue(), part.getGenericReturnType(), value == null ? null : part.invoke(value)));
            }
            List<RawTaggedField> tags = value == null ? List.of() : ((Message) value).unknownTaggedFields();
            for (JsonNode tag : value == null ? List.<JsonNode>of() : object.path(Testee.TAGS))
                tags.add(new RawTaggedField(tag.get("tag").intValue(), tag.get("bytes").binaryValue()));
            for (RawTaggedField tag : tags)
                object.<ArrayNode>withArray(Testee.TAGS).addObject().put("tag", tag.tag()).put("bytes", tag.data());
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
