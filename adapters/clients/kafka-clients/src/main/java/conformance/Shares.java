package conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a share group. */
public final class Shares implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "share-a");
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaShareConsumer<>(config, bytes, bytes);
        try {
            consumer.subscribe(List.of(Driver.EVENTS));
            long end = System.nanoTime() + Duration.ofMillis(Driver.ACTION_MS).toNanos();
            while (consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime()))).isEmpty()) {
                if (System.nanoTime() >= end) {
                    throw new Driver.DriverTimeout("no record came within " + Driver.ACTION_MS + " ms");
                }
            }
            consumer.commitSync();
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }
}
