package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.protocol.Message;

/** Sets what converters pass over, fields that the version lacks, so that Kafka's writers see them and decide. */
final class Absent {
    private Absent() {}

    /** A field that is still at its default is set to what the value has for it: if that is the default too, no harm is done. */
    static void set(JsonNode value, Message message) throws ReflectiveOperationException {
        Message fresh = message.getClass().getConstructor().newInstance();
        for (var field : value.properties()) {
            if (field.getKey().equals(Testee.TAGS)) continue;
            Method part = message.getClass().getMethod(field.getKey());
            Object now = part.invoke(message);
            if (Objects.deepEquals(now, part.invoke(fresh))) set(message, part, field.getValue());
            else set(field.getValue(), now);
        }
    }

    private static void set(JsonNode value, Object now) throws ReflectiveOperationException {
        if (now instanceof Message struct) set(value, struct);
        if (!(now instanceof Collection<?> items)) return;
        Iterator<JsonNode> elements = value.elements();
        for (Object item : items) set(elements.next(), item);
    }

    private static void set(Message message, Method part, JsonNode value) throws ReflectiveOperationException {
        String name = part.getName(), setter = "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        message.getClass().getMethod(setter, part.getReturnType()).invoke(message, as(part.getGenericReturnType(), value));
    }

    /** The value as the Java type that a message has for it. */
    private static Object as(Type type, JsonNode value) throws ReflectiveOperationException {
        if (value.isNull()) return null;
        if (type instanceof ParameterizedType list) return fill(new ArrayList<>(), list, value);
        Class<?> known = (Class<?>) type;
        if (Collection.class.isAssignableFrom(known))
            return fill(empty(known), (ParameterizedType) known.getGenericSuperclass(), value);
        if (Message.class.isAssignableFrom(known)) {
            Message struct = empty(known);
            for (var field : value.properties())
                if (!field.getKey().equals(Testee.TAGS)) set(struct, known.getMethod(field.getKey()), field.getValue());
            return struct;
        }
        try {
            return switch (known.getSimpleName()) {
                case "boolean", "Boolean" -> value.booleanValue();
                case "byte", "Byte" -> (byte) value.intValue();
                case "short", "Short" -> (short) value.intValue();
                case "int", "Integer" -> value.intValue();
                case "long", "Long" -> value.longValue();
                case "double", "Double" -> value.doubleValue();
                case "Uuid" -> known.getMethod("fromString", String.class).invoke(null, value.textValue());
                case "byte[]" -> value.binaryValue();
                case "ByteBuffer" -> ByteBuffer.wrap(value.binaryValue());
                case "BaseRecords" -> Records.readable(ByteBuffer.wrap(value.binaryValue()));
                default -> value.textValue();
            };
        } catch (java.io.IOException notBase64) {
            throw new IllegalArgumentException(notBase64);
        }
    }

    private static Collection<Object> fill(Collection<Object> list, ParameterizedType type, JsonNode value)
            throws ReflectiveOperationException {
        for (JsonNode item : value) list.add(as(type.getActualTypeArguments()[0], item));
        return list;
    }

    @SuppressWarnings("unchecked")
    private static <T> T empty(Class<?> type) throws ReflectiveOperationException {
        return (T) type.getConstructor().newInstance();
    }
}
