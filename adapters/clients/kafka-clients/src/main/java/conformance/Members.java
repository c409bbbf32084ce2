package conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Members of groups, in either protocol. */
final class Members {
    private static final int MEMBER_MS = 400; // long enough for some heartbeats
    static final int HEARTBEAT_MS = 100;
    private static final Duration REMAIN = Duration.ofMillis(2_500);
    private static final int COMMITS = 30;
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final String PROTOCOL = "group.protocol";

    private Members() {}

    private interface Stay {
        void with(KafkaConsumer<?, ?> consumer);
    }

    static void join(Map<String, Object> config) {
        classic(config, Members::commitOnce);
        Administering.told = " quiet"; // what a poll is told ends the driver
    }

    static void commits(Map<String, Object> config) {
        classic(config, Members::commitOften);
    }

    static void remain(Map<String, Object> config) {
        Driver.asUser(config, "PLAIN", "plain.Plain");
        classic(config, Members::commitLate);
    }

    private static void commitLate(KafkaConsumer<?, ?> consumer) {
        long end = System.nanoTime() + REMAIN.toNanos();
        while (System.nanoTime() < end) {
            consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
        consumer.commitSync();
    }

    private static void classic(Map<String, Object> config, Stay stay) {
        config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
        readAndStay(config, stay);
    }

    private static void commitOnce(KafkaConsumer<?, ?> consumer) {
        consumer.commitSync();
        consumer.poll(Duration.ofMillis(MEMBER_MS));
    }

    /** None waits for another, and whatever becomes of each. */
    private static void commitOften(KafkaConsumer<?, ?> consumer) {
        var next = Map.of(new TopicPartition(Driver.EVENTS, 0), new OffsetAndMetadata(1));
        for (int count = 0; count < COMMITS; count++) {
            consumer.commitAsync(next, null);
            consumer.poll(PAUSE);
        }
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

    static void byNewProtocol(Map<String, Object> config) {
        if (!ConsumerConfig.configNames().contains(PROTOCOL)) {
            System.out.println("unsupported it has no " + PROTOCOL);
            System.exit(1);
        }
        config.put(PROTOCOL, "consumer");
    }

    static void member(Map<String, Object> config) {
        byNewProtocol(config);
        readAndStay(config, Members::commitOnce);
    }

    private static void readAndStay(Map<String, Object> config, Stay stay) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "group-a");
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            consumer.subscribe(List.of(Driver.EVENTS));
            Driver.read(consumer);
            stay.with(consumer);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }
}
