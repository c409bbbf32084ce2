package conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Members that subscribe once more: behind their end, or for another topic as well. */
final class Returning {
    private static final String OTHER = "orders.v2";
    private static final Duration CHANGE = Duration.ofMillis(800);

    private Returning() {
    }

    /** What is read is committed by the client itself. */
    static void again(Map<String, Object> config) {
        Members.byNewProtocol(config);
        var consumer = member(config);
        try {
            consumer.subscribe(List.of(Driver.EVENTS));
            Driver.read(consumer);
            consumer.unsubscribe();
            consumer.subscribe(List.of(Driver.EVENTS));
            Driver.read(consumer);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    static void change(Map<String, Object> config) {
        config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, Members.HEARTBEAT_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        var consumer = member(config);
        try {
            for (var topics : List.of(List.of(OTHER), List.of(OTHER, Driver.EVENTS))) {
                consumer.subscribe(topics);
                long end = System.nanoTime() + CHANGE.toNanos();
                while (System.nanoTime() < end) {
                    consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
                }
            }
            consumer.subscribe(List.of(Driver.EVENTS));
            Driver.read(consumer);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    private static KafkaConsumer<byte[], byte[]> member(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "group-a");
        var bytes = new ByteArrayDeserializer();
        return new KafkaConsumer<>(config, bytes, bytes);
    }
}
