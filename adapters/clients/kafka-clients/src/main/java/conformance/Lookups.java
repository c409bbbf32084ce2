package conformance;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What a consumer does that is no member of a group: it looks offsets up, and begins at one. */
final class Lookups {
    private static final TopicPartition PARTITION = new TopicPartition(Driver.EVENTS, 0);
    private static final Duration STEP = Duration.ofSeconds(1);

    private Lookups() {
    }

    static void lookup(Map<String, Object> config) {
        var consumer = consumer(config);
        try {
            consumer.beginningOffsets(List.of(PARTITION));
            consumer.endOffsets(List.of(PARTITION));
            consumer.offsetsForTimes(Map.of(PARTITION, 1L));
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    static void resume(Map<String, Object> config) {
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "group-a");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        var consumer = consumer(config);
        try {
            consumer.assign(List.of(PARTITION));
            readInSteps(consumer);
            consumer.commitSync();
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    private static void readInSteps(KafkaConsumer<?, ?> consumer) {
        long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS).toNanos();
        while (consumer.poll(STEP).isEmpty()) {
            if (System.nanoTime() >= end) {
                throw new Driver.DriverTimeout("no record came within " + Driver.ACTION_MS + " ms");
            }
        }
    }

    /** All records up to the last, each told as OFFSET/TIMESTAMP/KEY/VALUE. */
    static void read(Map<String, Object> config, String isolation) {
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        var consumer = consumer(config);
        try {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS).toNanos();
            while (System.nanoTime() < end) {
                for (var each : consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                    Administering.told += " " + each.offset() + "/" + each.timestamp()
                        + "/" + text(each.key()) + "/" + text(each.value());
                    if (text(each.key()).equals("end")) {
                        return;
                    }
                }
            }
            throw new Driver.DriverTimeout("no end came within " + Driver.ACTION_MS + " ms");
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    static String text(byte[] raw) {
        return raw == null ? "null" : new String(raw, StandardCharsets.UTF_8);
    }

    static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        var bytes = new ByteArrayDeserializer();
        return new KafkaConsumer<>(config, bytes, bytes);
    }
}
