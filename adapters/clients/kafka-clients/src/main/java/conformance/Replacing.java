package conformance;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** All configs replaced; releases from 4.0 on are built without it. */
final class Replacing implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            var broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
            var threads = new Config(List.of(new ConfigEntry(Altering.THREADS, "2")));
            admin.alterConfigs(Map.of(broker, threads)).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
