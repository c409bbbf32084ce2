package conformance;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** What the driver alters and deletes, log dirs, and topics listed under other client ids. */
final class Altering {
    static final Map<String, Driver.Action> ACTIONS = Map.of(
        "alter", config -> Driver.newer("Incremental", config),
        "replace", config -> Driver.newer("Replacing", config),
        "forget", config -> Driver.newer("Forgetting", config),
        "fence", config -> Driver.newer("Fencing", config),
        "acls", Altering::acls,
        "delete", Altering::delete,
        "dirs", Altering::dirs,
        "blank", config -> named(config, ""),
        "lengthy", config -> named(config, "x".repeat(300)),
        "foreign", config -> named(config, "cl\u00e9-\u540d-\ud83e\udd9c"));
    static final String THREADS = "log.cleaner.threads";

    private Altering() {
    }

    static void named(Map<String, Object> config, String id) throws Exception {
        config.put(CommonClientConfigs.CLIENT_ID_CONFIG, id);
        Driver.topics(config);
    }

    private static void acls(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var topic = new ResourcePattern(ResourceType.TOPIC, Driver.EVENTS, PatternType.LITERAL);
            var may = new AccessControlEntry("User:alice", "*", AclOperation.READ, AclPermissionType.ALLOW);
            var acl = new AclBinding(topic, may);
            admin.createAcls(List.of(acl)).all().get();
            admin.describeAcls(acl.toFilter()).values().get();
            admin.deleteAcls(List.of(acl.toFilter())).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void delete(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            admin.deleteTopics(List.of("orders.v2")).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }

    private static void dirs(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            Administering.named(admin.describeLogDirs(List.of(1)), "allDescriptions", "all").get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
