package conformance;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Partitions that are read, and paused one after the other or both at once, or assigned so. */
final class Pausing {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final TopicPartition FIRST = new TopicPartition("orders.v2", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders.v2", 1);

    private static final TopicPartition THIRD = new TopicPartition(Driver.EVENTS, 0);

    private Pausing() {
    }

    static void pause(Map<String, Object> config) {
        var consumer = Lookups.consumer(config);
        try {
            consumer.assign(List.of(FIRST, SECOND));
            consumer.seekToBeginning(List.of(FIRST, SECOND));
            readEach(consumer, 2);
            consumer.pause(List.of(FIRST));
            pollFor(consumer);
            consumer.pause(List.of(SECOND));
            pollFor(consumer);
            consumer.resume(List.of(FIRST, SECOND));
            readEach(consumer, 2);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    static void aside(Map<String, Object> config) {
        var consumer = Lookups.consumer(config);
        try {
            consumer.assign(List.of(FIRST, SECOND, THIRD));
            consumer.seekToBeginning(List.of(FIRST, SECOND, THIRD));
            readEach(consumer, 3);
            consumer.pause(List.of(FIRST, SECOND));
            pollFor(consumer);
            consumer.resume(List.of(FIRST, SECOND));
            readEach(consumer, 3);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    static void widen(Map<String, Object> config) {
        var consumer = Lookups.consumer(config);
        try {
            consumer.assign(List.of(FIRST));
            consumer.seekToBeginning(List.of(FIRST));
            readEach(consumer, 1);
            consumer.assign(List.of(FIRST, SECOND));
            consumer.seekToBeginning(List.of(SECOND));
            readEach(consumer, 2);
        } finally {
            consumer.close(Driver.CLOSE);
        }
        Administering.told = " quiet"; // what a poll is told ends the driver
    }

    private static void pollFor(KafkaConsumer<?, ?> consumer) {
        long end = System.nanoTime() + PAUSE.toNanos();
        while (System.nanoTime() < end) {
            consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    private static void readEach(KafkaConsumer<?, ?> consumer, int partitions) {
        long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS).toNanos();
        Set<TopicPartition> read = new HashSet<>();
        while (read.size() < partitions) {
            read.addAll(consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime()))).partitions());
            if (System.nanoTime() >= end) {
                throw new Driver.DriverTimeout("no record of each came within " + Driver.ACTION_MS + " ms");
            }
        }
    }
}
