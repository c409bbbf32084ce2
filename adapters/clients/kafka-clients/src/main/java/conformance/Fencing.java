package conformance;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClient;

/** Producers fenced off; releases before 3.2 are built without it. */
final class Fencing implements Driver.Action {
    @Override
    public void run(Map<String, Object> config) throws Exception {
        AdminClient admin = Driver.admin(config);
        try {
            admin.fenceProducers(List.of("tx-a")).all().get();
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
