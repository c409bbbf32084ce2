package conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Large records, of which none waits for another. */
final class Large {
    private static final int LENGTH = 500_000;
    private static final int SHORT = 100;
    private static final int BATCH_BYTES = 500_090; // the first of them, and nothing else
    private static final List<List<String>> ROUNDS =
        List.of(List.of("a".repeat(LENGTH), "b".repeat(SHORT)), List.of("c".repeat(LENGTH), "d".repeat(LENGTH)));
    private static final int RECORD_MS = 3_000;

    private Large() {
    }

    /** Each is sent whatever becomes of the others, in a batch of its own. */
    static void large(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, RECORD_MS);
        var producer = Writing.producer(config);
        Exception failed = null;
        try {
            for (var values : ROUNDS) {
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (String value : values) {
                    sent.add(producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", value)));
                }
                for (var each : sent) {
                    try {
                        each.get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
                    } catch (Exception error) {
                        failed = error;
                    }
                }
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
        if (failed != null) {
            throw failed;
        }
    }
}
