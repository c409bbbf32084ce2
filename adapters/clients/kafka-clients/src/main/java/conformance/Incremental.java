package conformance;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** One config set; releases before 2.3 are built without it. */
final class Incremental implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
            var threads = new ConfigEntry(Altering.THREADS, "2");
            var set = new AlterConfigOp(threads, AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(broker, List.of(set))).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
