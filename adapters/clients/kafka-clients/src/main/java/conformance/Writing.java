package conformance;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringSerializer;

/** Records in the other ways of writing them. */
final class Writing {
    private static final long WRITTEN_MS = 1_700_000_000_000L;
    private static final int GATHER_MS = 100;
    private static final String EVENTS = "events";
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private Writing() {
    }

    static KafkaProducer<String, String> producer(Map<String, Object> config) {
        config.putIfAbsent(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Driver.START_MS);
        config.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        var strings = new StringSerializer();
        return new KafkaProducer<>(config, strings, strings);
    }

    static void several(Map<String, Object> config, String compression) throws Exception {
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression);
        config.put(ProducerConfig.LINGER_MS_CONFIG, GATHER_MS);
        var producer = producer(config);
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            sent.add(producer.send(record(WRITTEN_MS, "k", "v")));
            sent.add(producer.send(record(WRITTEN_MS + 1000, null, "w")));
            sent.add(producer.send(record(WRITTEN_MS + Duration.ofDays(30).toMillis(), "x", null)));
            var last = record(WRITTEN_MS - 1000, "", "");
            last.headers().add(new RecordHeader("h", "1".getBytes()));
            sent.add(producer.send(last));
            for (var each : sent) {
                Administering.told += " " + each.get(Driver.ACTION_MS, TimeUnit.MILLISECONDS).offset();
            }
        } finally {
            producer.close(CLOSE);
        }
    }

    private static ProducerRecord<String, String> record(long time, String key, String value) {
        return new ProducerRecord<>(EVENTS, 0, time, key, value);
    }

    static void unacknowledged(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ACKS_CONFIG, "0");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
        Driver.produce(config);
    }

    static void patient(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        Driver.produce(config);
    }

    /** The second record is written whatever became of the first. */
    static void idempotent(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        var producer = producer(config);
        Exception told = null;
        try {
            for (int count = 0; count < 2; count++) {
                try {
                    producer.send(new ProducerRecord<>(EVENTS, "k", "v"))
                        .get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
                } catch (Exception error) {
                    told = error;
                }
            }
        } finally {
            producer.close(CLOSE);
        }
        if (told != null) {
            throw told;
        }
    }

    static void empty(Map<String, Object> config) {
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx-a");
        var producer = producer(config);
        try {
            producer.initTransactions();
            producer.beginTransaction();
            producer.commitTransaction();
        } finally {
            producer.close(CLOSE);
        }
    }

    static void transact(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx-a");
        var producer = producer(config);
        try {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(EVENTS, "k", "v")).get();
            var offsets = Map.of(new TopicPartition(EVENTS, 0), new OffsetAndMetadata(1));
            sendOffsets(producer, offsets);
            producer.commitTransaction();
        } finally {
            producer.close(CLOSE);
        }
    }

    /** A group was named by a text until 4.0, and is by an object since 2.5. */
    private static void sendOffsets(KafkaProducer<String, String> producer, Map<?, ?> offsets) throws Exception {
        for (var method : KafkaProducer.class.getMethods()) {
            if (method.getName().equals("sendOffsetsToTransaction")) {
                var kind = method.getParameterTypes()[1];
                var group = kind.getConstructor(String.class).newInstance("group-a");
                try {
                    method.invoke(producer, offsets, group);
                } catch (InvocationTargetException error) {
                    throw error.getCause() instanceof Exception cause ? cause : error;
                }
                return;
            }
        }
    }
}
