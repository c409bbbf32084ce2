package conformance;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.common.TopicPartition;

/** A committed offset deleted; releases before 2.4 are built without it. */
final class Forgetting implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var partitions = Set.of(new TopicPartition(Driver.EVENTS, 0));
            admin.deleteConsumerGroupOffsets("group-a", partitions).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
