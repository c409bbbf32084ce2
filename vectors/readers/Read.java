// Prints `id message version header length sha256` for each vector of the files given.
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.regex.Pattern;

public class Read {
    // The keys stand in this order without blanks, and none of these values has an escape (README.md).
    static final Pattern VECTOR = Pattern.compile("""
        \\{"id":"([^"]+)","message":"([^"]+)","version":([0-9]+),"releases":\\[[^]]+],\
        "header":([0-9]+|null),"bytes":"([0-9a-f]*)",""");

    public static void main(String[] paths) throws Exception {
        for (var path : paths) {
            for (var line : Files.readAllLines(Path.of(path))) {
                var vector = VECTOR.matcher(line);
                if (!vector.lookingAt()) {
                    throw new IllegalArgumentException(path + ": not a vector: " + line);
                }
                var header = vector.group(4).equals("null") ? "-" : vector.group(4);
                var data = HexFormat.of().parseHex(vector.group(5));
                var digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
                System.out.println(String.join(" ", vector.group(1), vector.group(2), vector.group(3),
                    header, Integer.toString(data.length), digest));
            }
        }
    }
}
