package conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClient;
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
    static final int ACTION_MS = 8_000;
    private static final int MEMBER_MS = 400; // long enough for some heartbeats
    private static final int HEARTBEAT_MS = 100;
    static final Duration CLOSE = Duration.ofSeconds(1);
    static final String EVENTS = "events";

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
        "consume", Driver::consume,
        "join", Driver::join,
        "lookup", Lookups::lookup,
        "resume", Lookups::resume,
        "login", Driver::login);

    public static void main(String[] arguments) {
        Map<String, Object> config = new HashMap<>();
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        if (!ACTIONS.containsKey(arguments[0])) {
            System.out.println("unsupported it has no " + arguments[0]);
            System.exit(1);
        }
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

    private static AdminClient admin(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ACTION_MS);
        return AdminClient.create(config);
    }

    private static void topics(Map<String, Object> config) throws Exception {
        AdminClient admin = admin(config);
        try {
            admin.listTopics().names().get();
        } finally {
            admin.close(CLOSE);
        }
    }

    private static void login(Map<String, Object> config) throws Exception {
        config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        config.put("sasl.mechanism", "SCRAM-SHA-256");
        config.put("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule"
            + " required username=\"ann=1,bob\" password=\"secret\";");
        topics(config);
    }

    private static void groups(Map<String, Object> config) throws Exception {
        AdminClient admin = admin(config);
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
        AdminClient admin = admin(config);
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
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            var partitions = List.of(new TopicPartition(EVENTS, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            read(consumer);
        } finally {
            consumer.close(CLOSE);
        }
    }

    static void read(KafkaConsumer<?, ?> consumer) {
        long end = System.nanoTime() + Duration.ofMillis(ACTION_MS).toNanos();
        while (consumer.poll(Duration.ofNanos(Math.max(0, end - System.nanoTime()))).isEmpty()) {
            if (System.nanoTime() >= end) {
                throw new DriverTimeout("no record came within " + ACTION_MS + " ms");
            }
        }
    }

    private static void join(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ACTION_MS);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.GROUP_ID_CONFIG, "group-a");
        config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            consumer.subscribe(List.of(EVENTS));
            read(consumer);
            consumer.commitSync();
            consumer.poll(Duration.ofMillis(MEMBER_MS));
        } finally {
            consumer.close(CLOSE);
        }
    }
}
