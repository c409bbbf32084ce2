package conformance;

import static conformance.Found.*;
import static conformance.Records.*;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;

/** A field of records of any format: as the consumer iterates over it, and as the builder makes it. */
final class RecordSets {
    private static final String MESSAGE = "Records";

    static void hello(ObjectNode answer) {
        ObjectNode support = answer.withObject("/messages").putObject(MESSAGE);
        support.putArray("versions").addArray().add(0).add(2);
        support.putArray("ops").add("decode").add("encode");
    }

    /** Answers what is asked about fields of records; false where something else is. */
    static boolean perform(String op, JsonNode request, ObjectNode answer) throws Exception {
        boolean decodes = op.equals("decode");
        if (!decodes && !op.equals("encode") || !request.path("message").asText().equals(MESSAGE)) return false;
        byte magic = (byte) request.get("version").intValue();
        if (decodes) answer.putNull("remaining").set("value", decode(magic, HexFormat.of().parseHex(request.get("bytes").asText())));
        else answer.put("bytes", encode(magic, request.get("value")));
        return true;
    }

    private static JsonNode decode(byte magic, byte[] bytes) throws Exception {
        ObjectNode value = JsonNodeFactory.instance.objectNode();
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (Object batch : (Iterable<?>) call(readable(ByteBuffer.wrap(bytes)), "batches")) {
            call(batch, "ensureValid");
            Object codec = call(batch, "compressionType");
            int time = call(batch, "timestampType") == TimestampType.LOG_APPEND_TIME ? 8 : 0;
            if (!value.has("attributes")) value.put("attributes", ((Number) codec.getClass().getField("id").get(codec)).intValue() | time);
            for (var items = records(batch); items.hasNext();) {
                Object record = items.next();
                ObjectNode item = list.addObject().put("offset", (long) call(record, "offset"));
                if (magic > 0) item.put("timestamp", (long) call(record, "timestamp"));
                item.put("key", Utils.toNullableArray((ByteBuffer) call(record, "key")))
                        .put("value", Utils.toNullableArray((ByteBuffer) call(record, "value")));
                if (magic < 2) continue;
                ArrayNode headers = item.putArray("headers");
                for (Header header : (Header[]) call(record, "headers"))
                    headers.addObject().put("key", header.key()).put("value", header.value());
            }
        }
        return value.set("records", list);
    }

    private static String encode(byte magic, JsonNode value) throws Exception {
        int attributes = value.get("attributes").intValue();
        JsonNode records = value.get("records");
        long first = records.path(0).path("offset").asLong(), latest = -1;
        for (JsonNode record : records) latest = Math.max(latest, record.path("timestamp").asLong());
        TimestampType time = (attributes & 8) != 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        Object builder = call(find("record.MemoryRecords"), "builder", ByteBuffer.allocate(1024), magic,
                compression(attributes & 7), time, first, latest);
        for (JsonNode record : records)
            call(builder, "appendWithOffset", record.get("offset").asLong(), record.path("timestamp").asLong(-1),
                    buffer(record.get("key")), buffer(record.get("value")), headers(record.path("headers")));
        ByteBuffer bytes = (ByteBuffer) call(call(builder, "build"), "buffer");
        return HexFormat.of().formatHex(bytes.array(), bytes.arrayOffset(), bytes.arrayOffset() + bytes.limit());
    }
}
