package conformance;

import static conformance.Found.*;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;

/** A batch of records by Kafka's own record classes, found by name: 4.4 moved them to another package. */
final class Records {
    private static final String MESSAGE = "RecordBatch";
    private static final List<String> OPS = List.of("decode", "encode", "roundtrip");
    private static final byte MAGIC = 2;
    private static final int HORIZON = 14; // of the parts of a header: that there is one
    private static final int OVERHEAD = 61; // RECORD_BATCH_OVERHEAD: where the records begin

    private static final Class<?> BATCH = find("record.DefaultRecordBatch");
    private static final boolean HORIZONS = has(BATCH, "deleteHorizonMs"); // from 3.1 on: else the bit can be read, not written

    static void hello(ObjectNode answer) {
        ObjectNode support = answer.withObject("/messages").putObject(MESSAGE);
        support.putArray("versions").addArray().add(MAGIC).add(MAGIC);
        OPS.subList(0, HORIZONS ? 3 : 2).forEach(support.putArray("ops")::add);
    }

    /** Answers what is asked about batches; false where something else is. */
    static boolean perform(String op, JsonNode request, ObjectNode answer) throws Exception {
        if (!OPS.contains(op) || !request.path("message").asText().equals(MESSAGE)) return false;
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(request.path("bytes").asText()));
        if (op.equals("decode")) {
            answer.set("value", decode(bytes, answer));
        } else if (op.equals("encode")) {
            String written = encode(request.get("value"));
            answer.put(written == null ? "unsupported" : "bytes", written == null ? "delete horizon" : written);
        } else {
            JsonNode value = decode(bytes, answer.put("stage", "decode"));
            answer.retain("id");
            answer.put("stage", "encode").put("bytes", encode(value)).remove("stage");
        }
        return true;
    }

    private static JsonNode decode(ByteBuffer bytes, ObjectNode answer) throws Exception {
        Object records = readable(bytes);
        Object batch = ((Iterable<?>) call(records, "batches")).iterator().next(); // none where it is cut
        call(batch, "ensureValid");
        BATCH.cast(batch); // else of an older format
        long offset = (long) call(batch, "baseOffset"), time = (long) call(batch, has(batch, "baseTimestamp") ? "baseTimestamp" : "firstTimestamp");
        Object codec = call(batch, "compressionType");
        int attributes = ((Number) codec.getClass().getField("id").get(codec)).intValue()
                | (call(batch, "timestampType") == TimestampType.LOG_APPEND_TIME ? 8 : 0)
                | ((boolean) call(batch, "isTransactional") ? 16 : 0)
                | ((boolean) call(batch, "isControlBatch") ? 32 : 0)
                | (HORIZONS ? ((OptionalLong) call(batch, "deleteHorizonMs")).isPresent() ? 64 : 0
                        : (byte) call(batch, "attributes") & 64); // a bit without meaning before 3.1
        ObjectNode value = JsonNodeFactory.instance.objectNode().put("baseOffset", offset)
                .put("partitionLeaderEpoch", (int) call(batch, "partitionLeaderEpoch")).put("attributes", attributes)
                .put("lastOffsetDelta", (int) ((long) call(batch, "lastOffset") - offset))
                .put("baseTimestamp", time).put("maxTimestamp", (long) call(batch, "maxTimestamp"))
                .put("producerId", (long) call(batch, "producerId"))
                .put("producerEpoch", (short) call(batch, "producerEpoch"))
                .put("baseSequence", (int) call(batch, "baseSequence"));
        ArrayNode list = value.putArray("records");
        for (var items = records(batch); items.hasNext();) {
            Object record = items.next();
            if (record == null) throw new AssertionError("a null is handed out as a record"); // and fails whoever looks at it
            ObjectNode item = list.addObject().put("attributes", (byte) call(record, "attributes"))
                    .put("timestampDelta", (long) call(record, "timestamp") - time)
                    .put("offsetDelta", (int) ((long) call(record, "offset") - offset))
                    .put("key", Utils.toNullableArray((ByteBuffer) call(record, "key")))
                    .put("value", Utils.toNullableArray((ByteBuffer) call(record, "value")));
            ArrayNode headers = item.putArray("headers");
            for (Header header : (Header[]) call(record, "headers"))
                headers.addObject().put("key", header.key()).put("value", header.value());
        }
        answer.put("remaining", bytes.limit() - (int) call(batch, "sizeInBytes"));
        return value;
    }

    /** The records of a batch, as the consumer reads them. */
    static Iterator<?> records(Object batch) throws Exception {
        Method read = method(batch, "streamingIterator", (Object) null);
        return (Iterator<?>) call(batch, "streamingIterator", read.getParameterTypes()[0].getField("NO_CACHING").get(null));
    }

    /** What compresses, by its number; compression has levels from 3.8 on. */
    static Object compression(int number) throws Exception {
        Object codec = call(find("record.CompressionType"), "forId", number);
        Class<?> levels = find("compress.Compression");
        return levels == null ? codec : call(call(levels, "of", codec), "build");
    }

    private static String encode(JsonNode value) throws Exception {
        int attributes = value.get("attributes").intValue(), count = value.get("records").size();
        if (!HORIZONS && (attributes & 64) != 0) return null;
        Object codec = call(find("record.CompressionType"), "forId", attributes & 7), compression = compression(attributes & 7);
        Class<?> stream = method(compression, "wrapForOutput", null, MAGIC).getParameterTypes()[0];
        Object buffer = stream.getConstructor(int.class).newInstance(1024);
        call(buffer, "position", OVERHEAD);
        try (var out = new DataOutputStream((OutputStream) call(compression, "wrapForOutput", buffer, MAGIC))) {
            for (JsonNode record : value.get("records"))
                call(find("record.DefaultRecord"), "writeTo", out, record.get("offsetDelta").intValue(),
                        record.get("timestampDelta").longValue(), buffer(record.get("key")),
                        buffer(record.get("value")), headers(record.get("headers")));
        }
        ByteBuffer bytes = ((ByteBuffer) call(buffer, "buffer")).duplicate();
        int size = bytes.position();
        Object[] header = {bytes.position(0),
                value.get("baseOffset").longValue(), value.get("lastOffsetDelta").intValue(), size, MAGIC, codec,
                (attributes & 8) != 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                value.get("baseTimestamp").longValue(), value.get("maxTimestamp").longValue(),
                value.get("producerId").longValue(), value.get("producerEpoch").shortValue(),
                value.get("baseSequence").intValue(), (attributes & 16) != 0, (attributes & 32) != 0,
                (attributes & 64) != 0, value.get("partitionLeaderEpoch").intValue(), count};
        call(BATCH, "writeHeader", HORIZONS ? header : without(header, HORIZON));
        return HexFormat.of().formatHex(bytes.array(), 0, size);
    }

    static Header[] headers(JsonNode list) throws IOException {
        Header[] headers = new Header[list.size()];
        for (int i = 0; i < headers.length; i++)
            headers[i] = new RecordHeader(list.get(i).get("key").textValue(), list.get(i).get("value").binaryValue());
        return headers;
    }

    static ByteBuffer buffer(JsonNode base64) throws IOException {
        return base64.isNull() ? null : ByteBuffer.wrap(base64.binaryValue());
    }

    /** The bytes as Kafka's own type of records, of which nothing is read yet. */
    static Object readable(ByteBuffer bytes) throws ReflectiveOperationException {
        return method(find("record.MemoryRecords"), "readableRecords", bytes).invoke(null, bytes);
    }

    private static Object[] without(Object[] list, int index) {
        List<Object> left = new ArrayList<>(Arrays.asList(list));
        left.remove(index);
        return left.toArray();
    }
}
