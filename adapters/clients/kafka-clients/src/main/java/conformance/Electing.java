package conformance;

import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.common.TopicPartition;

/** Has the preferred replica of a partition elected. */
final class Electing {
    private Electing() {
    }

    /** Releases before 2.4 have no such call. */
    static void elect(Map<String, Object> config) throws Exception {
        Class<?> type;
        try {
            type = Class.forName("org.apache.kafka.common.ElectionType");
        } catch (ClassNotFoundException error) {
            System.out.println("unsupported it has no electLeaders");
            System.exit(1);
            return;
        }
        AdminClient admin = Driver.admin(config);
        try {
            var partitions = Set.of(new TopicPartition(Driver.EVENTS, 0));
            var elect = AdminClient.class.getMethod("electLeaders", type, Set.class);
            Object elected = elect.invoke(admin, type.getField("PREFERRED").get(null), partitions);
            ((Future<?>) elected.getClass().getMethod("all").invoke(elected)).get();
        } catch (InvocationTargetException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        } finally {
            admin.close(Driver.CLOSE);
        }
    }
}
