package conformance;

import java.lang.reflect.Method;
import java.util.*;

/** Kafka's classes and their methods by name, as releases moved and changed them. */
final class Found {
    private static final Map<List<Object>, Method> FOUND = new HashMap<>();

    private Found() {}

    static boolean has(Object on, String name) {
        Class<?> type = on instanceof Class<?> named ? named : on.getClass();
        return Arrays.stream(type.getMethods()).anyMatch(method -> method.getName().equals(name));
    }

    static Class<?> find(String name) {
        for (String each : List.of(name, name.replace("record.", "record.internal.")))
            try {
                return Class.forName("org.apache.kafka.common." + each);
            } catch (ClassNotFoundException elsewhere) {
                continue;
            }
        return null;
    }

    static Object call(Object on, String name, Object... given) throws Exception {
        return method(on, name, given).invoke(on, given);
    }

    static Method method(Object on, String name, Object... given) throws NoSuchMethodException {
        Class<?> type = on instanceof Class<?> named ? named : on.getClass();
        List<Object> asked = new ArrayList<>(List.of(type, name));
        for (Object each : given) asked.add(each == null ? null : each.getClass());
        if (!FOUND.containsKey(asked)) FOUND.put(asked, search(type, name, given));
        return FOUND.get(asked);
    }

    private static Method search(Class<?> type, String name, Object... given) throws NoSuchMethodException {
        List<Method> methods = new ArrayList<>(List.of(type.getMethods()));
        methods.addAll(List.of(type.getDeclaredMethods())); // some became public later
        for (Method method : methods) {
            Class<?>[] takes = method.getParameterTypes();
            boolean fits = method.getName().equals(name) && takes.length == given.length;
            for (int i = 0; fits && i < takes.length; i++)
                fits = given[i] == null || takes[i].isPrimitive() || takes[i].isInstance(given[i]);
            if (fits && method.trySetAccessible()) return method;
        }
        throw new NoSuchMethodException(type + "." + name);
    }
}
