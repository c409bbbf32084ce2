// Prints `id message version header length sha256` for each vector of the files given.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

for (const path of process.argv.slice(2)) {
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const { id, message, version, header, bytes } = JSON.parse(line);
    const data = Buffer.from(bytes, "hex");
    const digest = createHash("sha256").update(data).digest("hex");
    console.log(`${id} ${message} ${version} ${header ?? "-"} ${data.length} ${digest}`);
  }
}
