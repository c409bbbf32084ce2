package conformance;

import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.*;
import java.io.*;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.*;

/**
 * Apache Kafka's codec before 2.8, when not all requests were generated classes and none had a converter to JSON. Those that its
 * requests and responses are made of are read and written, and written of a value by their setters.
 */
public final class Testee {
    static final String TAGS = "_unknownTaggedFields";
    private static final String MESSAGES = "org.apache.kafka.common.message.", API = "org.apache.kafka.common.requests.";
    private static final List<String> OPS = List.of("roundtrip", "encode"); // and to read batches of records
    private static final Map<String, String> RENAMED = Map.of( // what 2.8 calls otherwise
            "ElectPreferredLeaders", "ElectLeaders", "ListOffsetRe", "ListOffsetsRe");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Class<?>> CLASSES = new TreeMap<>(); // of messages, by name
    private static final com.sun.management.ThreadMXBean MEMORY =
            java.lang.management.ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);

    public static void main(String[] arguments) throws Exception {
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator))
            if (path.matches(".*/kafka-clients-[^/]*\\.jar")) {
                var files = new java.util.jar.JarFile(path).stream().map(entry -> entry.getName().replace('/', '.'));
                for (String file : files.filter(each -> each.startsWith(MESSAGES) && each.matches("[^$]*Data\\.class")).toList())
                    declare(Class.forName(file.replace(".class", "")));
            }
        var in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        var out = new PrintWriter(new OutputStreamWriter(System.out, "UTF-8"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(answer(line) + "\n");
            if (!in.ready()) out.flush();
        }
    }

    /** A message counts where the class of its request or response holds it: there were others that nobody used. */
    private static void declare(Class<?> type) {
        String name = type.getSimpleName().replaceAll("Data$", "");
        try {
            if (Stream.of(Class.forName(API + name).getDeclaredFields()).noneMatch(field -> field.getType() == type)) return;
        } catch (ClassNotFoundException unused) {
            return;
        }
        for (var each : RENAMED.entrySet()) name = name.replaceAll("^" + each.getKey(), each.getValue());
        CLASSES.put(name, type);
    }

    private static ObjectNode answer(String line) {
        long before = MEMORY.getCurrentThreadAllocatedBytes();
        ObjectNode answer = JSON.createObjectNode();
        try {
            JsonNode request = JSON.readTree(line);
            String op = request.path("op").asText();
            answer.set("id", request.get("id"));
            if (op.equals("hello")) hello(answer);
            else if (!OPS.contains(op) && !op.equals("decode")) answer.put("unsupported", op);
            else if (!Records.perform(op, request, answer) && !RecordSets.perform(op, request, answer)) perform(op, request, answer);
        } catch (NoSuchMethodException lacking) { // of the class, which has no such field
            return answer.retain("id").put("unsupported", lacking.getMessage());
        } catch (Throwable thrown) {
            Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            answer.retain("id", "stage").put("error", cause.getClass().getSimpleName())
                    .put(refuses(cause) ? "rejected" : "crashed", cause.toString());
        }
        return answer.put("allocated", MEMORY.getCurrentThreadAllocatedBytes() - before);
    }

    /** An exception, or the error by which snappy-java tells that bytes are none of its own. */
    private static boolean refuses(Throwable cause) {
        return !(cause instanceof Error) || cause.getClass().getSimpleName().equals("SnappyError");
    }

    private static void hello(ObjectNode answer) throws Exception {
        Properties about = new Properties();
        about.load(Message.class.getResourceAsStream("/kafka/kafka-version.properties"));
        Records.hello(answer.put("protocol", 1).put("name", "kafka-clients").put("language", "java").put("window", 64)
                .put("version", about.getProperty("version")).put("definitions", about.getProperty("version"))
                .put("unknownTags", "kept").put("int64", "number").put("defaults", true).set("ops", JSON.<ArrayNode>valueToTree(OPS).add("decode")));
        RecordSets.hello(answer);
        for (String name : CLASSES.keySet()) {
            Message empty = empty(name);
            ObjectNode support = answer.withObject("/messages").putObject(name);
            support.putArray("versions").addArray().add(empty.lowestSupportedVersion()).add(empty.highestSupportedVersion());
            support.set("ops", JSON.valueToTree(OPS));
            if (!hasTags(empty.getClass())) answer.withObject("/unknownFields").putArray(name).add("*");
        }
    }

    /** Whether any version of a message has a tagged field of its own. */
    private static boolean hasTags(Class<?> type) throws ReflectiveOperationException {
        for (Object schema : (Object[]) type.getField("SCHEMAS").get(null))
            if (schema != null && String.valueOf(schema).matches(".*TAGGED_FIELDS_TYPE_NAME\\([^)]+\\).*")) return true;
        return false;
    }

    private static void perform(String op, JsonNode request, ObjectNode answer) throws Exception {
        Message message = empty(request.path("message").asText());
        short version = (short) request.path("version").asInt();
        if (op.equals("decode")) {
            answer.put("unsupported", op);
        } else if (op.equals("roundtrip")) {
            ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(request.path("bytes").asText()));
            answer.put("stage", "decode");
            message.read(new ByteBufferAccessor(bytes), version);
            answer.put("stage", "encode").put("bytes", write(message, version)).remove("stage");
        } else {
            if (request.findValue(TAGS) != null) throw new NoSuchMethodException("a setter of unknown tags");
            Absent.set(request.get("value"), message);
            answer.put("bytes", write(message, version));
        }
    }

    /** Writers take a cache of sizes from 2.4 on. */
    private static String write(Message message, short version) throws ReflectiveOperationException {
        Method size = Stream.of(Message.class.getMethods()).filter(each -> each.getName().equals("size")).findAny().get();
        Method write = Stream.of(Message.class.getMethods()).filter(each -> each.getName().equals("write")).findAny().get();
        boolean caches = size.getParameterCount() == 2;
        Object cache = caches ? size.getParameterTypes()[0].getConstructor().newInstance() : null;
        Object length = caches ? size.invoke(message, cache, version) : size.invoke(message, version);
        ByteBuffer bytes = ByteBuffer.allocate((int) length);
        var out = new ByteBufferAccessor(bytes);
        if (caches) write.invoke(message, out, cache, version);
        else write.invoke(message, out, version);
        return HexFormat.of().formatHex(bytes.array(), 0, bytes.position());
    }

    private static Message empty(String name) throws ReflectiveOperationException {
        return (Message) CLASSES.get(name).getConstructor().newInstance();
    }
}
