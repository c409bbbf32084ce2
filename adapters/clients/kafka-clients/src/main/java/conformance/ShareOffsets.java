package conformance;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.common.TopicPartition;

/** Where a share group is. */
public final class ShareOffsets implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) throws Exception {
        var admin = Driver.admin(config);
        var asked = new ListShareGroupOffsetsSpec().topicPartitions(List.of(new TopicPartition(Driver.EVENTS, 0)));
        try {
            admin.listShareGroupOffsets(Map.of("share-a", asked)).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
