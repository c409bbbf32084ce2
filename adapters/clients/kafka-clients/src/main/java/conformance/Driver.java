package conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Apache Kafka's clients as a driver: {@code ACTION HOST:PORT}; its last line is ok, or error. */
public final class Driver {
    private static final int REQUEST_MS = 3_000;
    private static final int START_MS = 5_000;
    private static final int ACTION_MS = 8_000;
    private static final Duration CLOSE = Duration.ofSeconds(1);
    private static final String EVENTS = "events";

    /** The client had as long as this driver gives it. */
    private static final class DriverTimeout extends RuntimeException {
        DriverTimeout(String text) {
            super(text);
        }
    }

    private interface Action {
        void run(Map<String, Object> config) throws Exception;
    }

    private static final Map<String, Action> ACTIONS = Map.of(
        "topics", Driver::topics,
        "groups", Driver::groups,
        "create", Driver::create,
        "produce", Driver::produce,
        "consume", Driver::consume);

    public static void main(String[] arguments) {
        Map<String, Object> config = new HashMap<>();
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        try {
            ACTIONS.get(arguments[0]).run(config);
        } catch (ExecutionException error) {
            end(error.getCause());
        } catch (Exception error) {
            end(error);
        }
        System.out.println("ok");
        System.exit(0);
    }

    private static void end(Throwable error) {
        String text = String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
        System.out.println("error " + error.getClass().getSimpleName() + " " + text);
        System.exit(1);
    }

    private static Admin admin(Map<String, Object> config) {
        config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, ACTION_MS);
        return Admin.create(config);
    }

    private static void topics(Map<String, Object> config) throws Exception {
        Admin admin = admin(config);
        try {
            admin.listTopics().names().get();
        } finally {
            admin.close(CLOSE);
        }
    }

    private static void groups(Map<String, Object> config) throws Exception {
        Admin admin = admin(config);
        try {
            for (var answer : admin.describeConsumerGroups(List.of("group-a", "group-b"))
                    .describedGroups().values()) {
                try {
                    answer.get();
                } catch (ExecutionException error) {
                    if (!(error.getCause() instanceof GroupIdNotFoundException)) {
                        throw error;
                    }
                }
            }
        } finally {
            admin.close(CLOSE);
        }
    }

    private static void create(Map<String, Object> config) throws Exception {
        Admin admin = admin(config);
        try {
            admin.createTopics(List.of(new NewTopic("made-by-a-client", 1, (short) 1))).all().get();
        } finally {
            admin.close(CLOSE);
        }
    }

    private static void produce(Map<String, Object> config) throws Exception {
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, START_MS);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ACTION_MS);
        var strings = new StringSerializer();
        var producer = new KafkaProducer<>(config, strings, strings);
        try {
            producer.send(new ProducerRecord<>(EVENTS, "k", "v")).get();
        } finally {
            producer.close(CLOSE);
        }
    }

    private static void consume(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ACTION_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            var partitions = List.of(new TopicPartition(EVENTS, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = System.nanoTime() + Duration.ofMillis(ACTION_MS).toNanos();
            while (consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime()))).isEmpty()) {
                if (System.nanoTime() >= end) {
                    throw new DriverTimeout("no record came within " + ACTION_MS + " ms");
                }
            }
        } finally {
            consumer.close(CLOSE);
        }
    }
}
