package conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Members of groups, in either protocol. */
final class Members {
    private static final int MEMBER_MS = 400; // long enough for some heartbeats
    private static final int HEARTBEAT_MS = 100;
    private static final String PROTOCOL = "group.protocol";

    private Members() {}

    static void join(Map<String, Object> config) {
        config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
        readAndStay(config);
    }

    /** Releases before 2.4 have no cooperative one. */
    static void sticky(Map<String, Object> config) {
        String assignor = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor";
        try {
            Class.forName(assignor);
        } catch (ClassNotFoundException error) {
            assignor = "org.apache.kafka.clients.consumer.StickyAssignor";
        }
        config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, assignor);
        join(config);
    }

    static void member(Map<String, Object> config) {
        if (!ConsumerConfig.configNames().contains(PROTOCOL)) {
            System.out.println("unsupported it has no " + PROTOCOL);
            System.exit(1);
        }
        config.put(PROTOCOL, "consumer");
        readAndStay(config);
    }

    private static void readAndStay(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "group-a");
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            consumer.subscribe(List.of(Driver.EVENTS));
            Driver.read(consumer);
            consumer.commitSync();
            consumer.poll(Duration.ofMillis(MEMBER_MS));
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }
}
