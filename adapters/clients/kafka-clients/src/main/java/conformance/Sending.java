package conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Records that are sent before others have been written, to one topic or two, and for some time. */
final class Sending {
    private static final int SEVERAL = 8;
    private static final int MANY = 80_000;
    private static final int MANY_BYTES = 1_000_000;
    private static final int STEADY = 25;
    private static final int GATHER_MS = 1000; // longer than it takes to have all flushed
    private static final int PAUSE_MS = 100;
    private static final String OTHER = "orders.v2";

    private Sending() {
    }

    /** Each is sent whatever becomes of the others, in a batch of its own. */
    static void stream(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 1);
        var producer = Writing.producer(config);
        Exception failed = null;
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int count = 0; count < SEVERAL; count++) {
                sent.add(producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", "v" + count)));
            }
            for (var each : sent) {
                try {
                    long offset = each.get(Driver.ACTION_MS, TimeUnit.MILLISECONDS).offset();
                    Administering.told += " " + offset;
                } catch (Exception error) {
                    failed = error;
                }
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** What is known of each when all have been flushed. */
    static void flush(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.LINGER_MS_CONFIG, GATHER_MS);
        var producer = Writing.producer(config);
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int count = 0; count < SEVERAL; count++) {
                sent.add(producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", "v" + count)));
            }
            producer.flush();
            for (var each : sent) {
                Administering.told += each.isDone() ? " written" : " waiting";
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
    }

    /** Gathered in batches that are as large as can be. */
    static void many(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, GATHER_MS);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, MANY_BYTES);
        var producer = Writing.producer(config);
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int count = 0; count < MANY; count++) {
                sent.add(producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", "v")));
            }
            for (var each : sent) {
                each.get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
    }

    /** The second is sent whatever became of the first; those that were written are told. */
    static void both(Map<String, Object> config) throws Exception {
        var producer = Writing.producer(config);
        Exception failed = null;
        try {
            for (String topic : List.of(OTHER, Driver.EVENTS)) {
                try {
                    producer.send(new ProducerRecord<>(topic, 0, "k", "v"))
                        .get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
                    Administering.told += " " + topic;
                } catch (Exception error) {
                    failed = error;
                }
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
        if (Administering.told.isEmpty()) {
            throw failed;
        }
    }

    /** A record each tenth of a second, behind a login. */
    static void steady(Map<String, Object> config) throws Exception {
        Driver.asUser(config, "PLAIN", "plain.Plain");
        var producer = Writing.producer(config);
        try {
            for (int count = 0; count < STEADY; count++) {
                producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", "v" + count))
                    .get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
                Thread.sleep(PAUSE_MS);
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
    }
}
