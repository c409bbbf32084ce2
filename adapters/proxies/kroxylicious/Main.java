import io.kroxylicious.proxy.KafkaProxy;
import io.kroxylicious.proxy.config.ConfigParser;
import io.kroxylicious.proxy.internal.config.Features;

/** Starts Kroxylicious: `Main.java LISTEN UPSTREAM`, each HOST:PORT. It ends at the end of stdin. */
public class Main {

    private static final String CONFIGURATION = """
            virtualClusters:
              - name: conformance
                targetCluster:
                  bootstrapServers: "%s"
                gateways:
                  - name: default
                    portIdentifiesNode:
                      bootstrapAddress: "%s:%d"
                      advertisedBrokerAddressPattern: "%s"
                      nodeStartPort: %d
                      nodeIdRanges:
                        - name: brokers
                          start: 1
                          end: 3
            """;

    public static void main(String[] arguments) throws Exception {
        int colon = arguments[0].lastIndexOf(':');
        String host = arguments[0].substring(0, colon);
        int port = Integer.parseInt(arguments[0].substring(colon + 1));
        String text = CONFIGURATION.formatted(arguments[1], host, port, host, port + 1);
        ConfigParser parser = new ConfigParser();
        KafkaProxy proxy =
                new KafkaProxy(parser, parser.parseConfiguration(text), Features.defaultFeatures());
        proxy.startup();
        while (System.in.read() >= 0) {
            // whoever started it is still there
        }
        System.exit(0);
    }
}
