package conformance;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Records that are read one by one, and where the consumer says it is: OFFSET/POSITION. */
final class Positions {
    private static final List<TopicPartition> PARTITION = List.of(new TopicPartition(Driver.EVENTS, 0));
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final Duration STEP = Duration.ofMillis(50);

    private Positions() {
    }

    static void position(Map<String, Object> config) throws Exception {
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        var consumer = Lookups.consumer(config);
        try {
            consumer.assign(PARTITION);
            consumer.pause(PARTITION);
            consumer.seekToBeginning(PARTITION);
            awaitLag(consumer);
            consumer.resume(PARTITION);
            readOneByOne(consumer);
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }

    // Releases before 3.0 tell of no lag.
    private static void awaitLag(KafkaConsumer<?, ?> consumer) throws Exception {
        var currentLag = Arrays.stream(KafkaConsumer.class.getMethods())
            .filter(each -> each.getName().equals("currentLag")).findFirst();
        if (currentLag.isPresent()) {
            consumer.position(PARTITION.get(0));
            awaitLag(consumer, currentLag.get());
        }
    }

    private static void awaitLag(KafkaConsumer<?, ?> consumer, Method currentLag) throws Exception {
        long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS / 2).toNanos();
        while (((OptionalLong) currentLag.invoke(consumer, PARTITION.get(0))).isEmpty()) {
            consumer.poll(STEP);
            if (System.nanoTime() >= end) {
                throw new Driver.DriverTimeout("no lag was told within " + Driver.ACTION_MS / 2 + " ms");
            }
        }
    }

    private static void readOneByOne(KafkaConsumer<byte[], byte[]> consumer) {
        long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS).toNanos();
        while (System.nanoTime() < end) {
            for (var each : consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                boolean isFirst = Administering.told.isEmpty();
                Administering.told += " " + each.offset() + "/" + consumer.position(PARTITION.get(0));
                if (Lookups.text(each.key()).equals("end")) {
                    return;
                }
                if (isFirst) {
                    consumer.pause(PARTITION);
                    consumer.poll(PAUSE);
                    consumer.resume(PARTITION);
                }
            }
        }
        throw new Driver.DriverTimeout("no end came within " + Driver.ACTION_MS + " ms");
    }
}
