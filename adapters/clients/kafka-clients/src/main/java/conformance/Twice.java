package conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/** Two transactions, of which one that fails is aborted, and records whose time is up before the last. */
final class Twice {
    private static final int WAIT_MS = 64;
    private static final int GATHER_MS = 100;
    private static final int METADATA_MS = 200;
    private static final int GIVEN_MS = 1500;
    private static final int LATER_MS = 2500;
    private static final int AT_ONCE = 4;
    private static final List<String> FIRST = List.of("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");

    private Twice() {
    }

    static void twice(Map<String, Object> config) {
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "tx-a");
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 1);
        config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, WAIT_MS);
        config.put("retry.backoff.max.ms", WAIT_MS); // by name: releases before 3.7 wait as long each time
        var producer = Writing.producer(config);
        try {
            producer.initTransactions();
            for (var values : List.of(FIRST, List.of("w"))) {
                Administering.told += committed(producer, values) ? " committed" : " aborted";
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
    }

    /** Whether these are committed, or else aborted. */
    private static boolean committed(KafkaProducer<String, String> producer, List<String> values) {
        producer.beginTransaction();
        try {
            for (String value : values) {
                producer.send(new ProducerRecord<>(Driver.EVENTS, 0, "k", value));
            }
            producer.commitTransaction();
        } catch (TimeoutException error) {
            throw error; // what becomes of it is not known
        } catch (KafkaException error) {
            producer.abortTransaction();
            return false;
        }
        return true;
    }

    /** How often it was told of each record. */
    static void later(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, GATHER_MS);
        config.put(ProducerConfig.METADATA_MAX_AGE_CONFIG, METADATA_MS);
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, GIVEN_MS - GATHER_MS);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, GIVEN_MS);
        var producer = Writing.producer(config);
        try {
            List<AtomicInteger> told = new ArrayList<>();
            for (int count = 0; count < AT_ONCE; count++) {
                sent(producer, told);
            }
            Thread.sleep(LATER_MS);
            sent(producer, told).get(Driver.ACTION_MS, TimeUnit.MILLISECONDS);
            for (var each : told) {
                Administering.told += " " + each;
            }
        } finally {
            producer.close(Driver.CLOSE);
        }
    }

    private static Future<RecordMetadata> sent(KafkaProducer<String, String> producer, List<AtomicInteger> told) {
        var times = new AtomicInteger();
        told.add(times);
        return producer.send(
            new ProducerRecord<>(Driver.EVENTS, 0, "k", "v" + told.size()), (metadata, error) -> times.incrementAndGet());
    }
}
