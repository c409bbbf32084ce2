package conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.CreatePartitionsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What the driver asks about a cluster; {@code told} are words behind its ok. */
final class Administering {
    static final Map<String, Driver.Action> ACTIONS = Map.of(
        "listing", Administering::listing,
        "offsets", Administering::offsets,
        "configs", config -> configs(config, "1"),
        "brokers", config -> configs(config, "1", "2"),
        "ends", Administering::ends,
        "grow", Administering::grow,
        "describe", Administering::describe,
        "cluster", Administering::cluster,
        "latest", Administering::latest,
        "trim", Administering::trim);
    static String told = "";

    private Administering() {
    }

    private static void listing(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            for (var each : admin.listConsumerGroups().all().get()) {
                told += " " + each.groupId();
            }
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void offsets(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            admin.listConsumerGroupOffsets("group-a").partitionsToOffsetAndMetadata().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void configs(Map<String, Object> config, String... ids) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            List<ConfigResource> brokers = new ArrayList<>();
            for (String id : ids) {
                brokers.add(new ConfigResource(ConfigResource.Type.BROKER, id));
            }
            admin.describeConfigs(brokers).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void grow(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var more = Map.of(Driver.EVENTS, NewPartitions.increaseTo(2));
            admin.createPartitions(more, new CreatePartitionsOptions().validateOnly(true)).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void describe(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var asked = admin.describeTopics(List.of(Driver.EVENTS));
            var topics = (Map<?, ?>) named(asked, "allTopicNames", "all").get();
            var topic = (TopicDescription) topics.get(Driver.EVENTS);
            topic.partitions().get(0).replicas().forEach(each -> told += " " + each.id());
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void cluster(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var controller = admin.describeCluster().controller().get();
            told = controller == null ? " none" : " " + controller.id();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    /** Releases before 2.5 have no such call. */
    private static void latest(Map<String, Object> config) throws Exception {
        Class<?> spec;
        try {
            spec = Class.forName("org.apache.kafka.clients.admin.OffsetSpec");
        } catch (ClassNotFoundException error) {
            System.out.println("unsupported it has no listOffsets");
            System.exit(1);
            return;
        }
        AdminClient admin = Driver.admin(config);
        try {
            var asked = Map.of(new TopicPartition(Driver.EVENTS, 0), spec.getMethod("latest").invoke(null));
            var told = AdminClient.class.getMethod("listOffsets", Map.class).invoke(admin, asked);
            named(told, "all").get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    /** What is told under the first of these names that a release has. */
    static Future<?> named(Object told, String... names) throws ReflectiveOperationException {
        for (String name : names) {
            for (var method : told.getClass().getMethods()) {
                if (method.getName().equals(name)) {
                    return (Future<?>) method.invoke(told);
                }
            }
        }
        throw new NoSuchMethodException(names[0]);
    }

    private static void trim(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var partition = new TopicPartition(Driver.EVENTS, 0);
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1))).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void ends(Map<String, Object> config) {
        config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Driver.ACTION_MS);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        var bytes = new ByteArrayDeserializer();
        var consumer = new KafkaConsumer<>(config, bytes, bytes);
        try {
            consumer.endOffsets(List.of(new TopicPartition(Driver.EVENTS, 0)));
        } finally {
            consumer.close(Driver.CLOSE);
        }
    }
}
