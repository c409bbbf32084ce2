package conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Apache Kafka's clients as a driver: {@code ACTION HOST:PORT}; its last line is ok, or error. */
public final class Driver {
    private static final int REQUEST_MS = 3_000;
    private static final int SETUP_MS = 1_500;
    static final int START_MS = 5_000;
    static final int ACTION_MS = 8_000;
    static final Duration CLOSE = Duration.ofSeconds(1);
    static final String EVENTS = System.getenv().getOrDefault("KAFKA_TOPIC", "events");

    /** The client had as long as this driver gives it. */
    static final class DriverTimeout extends RuntimeException {
        DriverTimeout(String text) {
            super(text);
        }
    }

    interface Action {
        void run(Map<String, Object> config) throws Exception;
    }

    private static final Map<String, Action> ACTIONS = Map.ofEntries(
        Map.entry("topics", Driver::topics),
        Map.entry("groups", Driver::groups),
        Map.entry("create", Driver::create),
        Map.entry("produce", Driver::produce),
        Map.entry("consume", Driver::consume),
        Map.entry("join", Members::join),
        Map.entry("sticky", Members::sticky),
        Map.entry("commits", Members::commits),
        Map.entry("member", Members::member),
        Map.entry("remain", Members::remain),
        Map.entry("again", Returning::again),
        Map.entry("change", Returning::change),
        Map.entry("elect", Electing::elect),
        Map.entry("share", config -> newer("Shares", config)),
        Map.entry("shared", config -> newer("ShareOffsets", config)),
        Map.entry("lookup", Lookups::lookup),
        Map.entry("resume", Lookups::resume),
        Map.entry("read", config -> Lookups.read(config, "read_committed")),
        Map.entry("uncommitted", config -> Lookups.read(config, "read_uncommitted")),
        Map.entry("pause", Pausing::pause),
        Map.entry("aside", Pausing::aside),
        Map.entry("brimming", config -> Altering.named(config, "x".repeat(240))),
        Map.entry("widen", Pausing::widen),
        Map.entry("position", Positions::position),
        Map.entry("batch", config -> Writing.several(config, "none")),
        Map.entry("gzip", config -> Writing.several(config, "gzip")),
        Map.entry("snappy", config -> Writing.several(config, "snappy")),
        Map.entry("lz4", config -> Writing.several(config, "lz4")),
        Map.entry("zstd", config -> Writing.several(config, "zstd")),
        Map.entry("unacknowledged", Writing::unacknowledged),
        Map.entry("idempotent", Writing::idempotent),
        Map.entry("stream", Sending::stream),
        Map.entry("both", Sending::both),
        Map.entry("flush", Sending::flush),
        Map.entry("many", Sending::many),
        Map.entry("large", Large::large),
        Map.entry("made", config -> produce(config, "made-by-writing")),
        Map.entry("steady", Sending::steady),
        Map.entry("patient", Writing::patient),
        Map.entry("transact", Writing::transact),
        Map.entry("empty", Writing::empty),
        Map.entry("twice", Twice::twice),
        Map.entry("later", Twice::later),
        Map.entry("login", config -> login(config, "PLAIN", "plain.Plain")),
        Map.entry("scram", config -> login(config, "SCRAM-SHA-256", "scram.Scram")),
        Map.entry("oauth", Driver::oauth),
        Map.entry("gssapi", Driver::gssapi));

    public static void main(String[] arguments) {
        Map<String, Object> config = new HashMap<>();
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        // By name: releases before 2.7 have no such limit.
        config.put("socket.connection.setup.timeout.ms", SETUP_MS);
        var more = Administering.ACTIONS.getOrDefault(arguments[0], Altering.ACTIONS.get(arguments[0]));
        Action action = ACTIONS.getOrDefault(arguments[0], more);
        if (action == null) {
            System.out.println("unsupported it has no " + arguments[0]);
            System.exit(1);
        }
        try {
            action.run(config);
        } catch (ExecutionException error) {
            end(error.getCause());
        } catch (TimeoutException error) {
            end(new DriverTimeout("no answer within " + ACTION_MS + " ms"));
        } catch (Exception error) {
            end(error);
        }
        System.out.println("ok" + Administering.told);
        System.exit(0);
    }

    private static void end(Throwable error) {
        String text = String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
        System.out.println("error " + error.getClass().getSimpleName() + " " + text);
        System.exit(1);
    }

    static AdminClient admin(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ACTION_MS);
        return AdminClient.create(config);
    }

    static void topics(Map<String, Object> config) throws Exception {
        AdminClient admin = admin(config);
        try {
            admin.listTopics().names().get();
        } finally {
            admin.close(CLOSE);
        }
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

    private static void login(Map<String, Object> config, String mechanism, String module)
            throws Exception {
        asUser(config, mechanism, module);
        topics(config);
    }

    private static void oauth(Map<String, Object> config) throws Exception {
        config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        config.put(SaslConfigs.SASL_MECHANISM, "OAUTHBEARER");
        config.put(SaslConfigs.SASL_JAAS_CONFIG, "org.apache.kafka.common.security.oauthbearer."
            + "OAuthBearerLoginModule required;");
        config.put(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, Tokens.class);
        topics(config);
    }

    private static void gssapi(Map<String, Object> config) throws Exception {
        Unsealed.login(config);
        topics(config);
    }

    static void asUser(Map<String, Object> config, String mechanism, String module) {
        config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "SASL_PLAINTEXT");
        config.put(SaslConfigs.SASL_MECHANISM, mechanism);
        config.put(SaslConfigs.SASL_JAAS_CONFIG, "org.apache.kafka.common.security." + module
            + "LoginModule required username=\"one,two=three\" password=\"four=five,six\";");
    }

    static void produce(Map<String, Object> config) throws Exception {
        produce(config, EVENTS);
    }

    private static void produce(Map<String, Object> config, String topic) throws Exception {
        var producer = Writing.producer(config);
        try {
            producer.send(new ProducerRecord<>(topic, "k", "v")).get(ACTION_MS, TimeUnit.MILLISECONDS);
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

    // What some releases are built without.
    static void newer(String name, Map<String, Object> config) throws Exception {
        try {
            ((Action) Class.forName("conformance." + name).getDeclaredConstructor().newInstance()).run(config);
        } catch (ClassNotFoundException error) {
            System.out.println("unsupported it has no " + name);
            System.exit(1);
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
}
