// A testee of three messages without strings, in JavaScript; `--little-endian` writes them wrong.
// Fields are 16 or 32 bits wide; all is big-endian, but for what that flag asks for.
const LAYOUTS = {
  HeartbeatResponse: [["errorCode", 2]],
  LeaveGroupResponse: [["errorCode", 2]],
  ControlledShutdownRequest: [["brokerId", 4]],
};
const wrong = process.argv.includes("--little-endian");
const hello = {
  protocol: 1, name: "three", version: "1.0", language: "javascript", window: 16,
  ops: ["decode", "encode"],
  messages: Object.fromEntries(Object.keys(LAYOUTS).map((name) => [name, [0, 0]])),
};

function decode(layout, data) {
  const value = {};
  let at = 0;
  for (const [name, width] of layout) {
    value[name] = data.readIntBE(at, width);
    at += width;
  }
  return { value, remaining: data.length - at };
}

function encode(layout, value) {
  const data = Buffer.alloc(layout.reduce((all, [, width]) => all + width, 0));
  let at = 0;
  for (const [name, width] of layout) {
    if (wrong) data.writeIntLE(value[name], at, width);
    else data.writeIntBE(value[name], at, width);
    at += width;
  }
  return { bytes: data.toString("hex") };
}

function answer({ op, id, message, bytes = "", value }) {
  if (op === "hello") return hello;
  if (!hello.ops.includes(op)) return { id, unsupported: `no ${op} here` };
  try {
    const layout = LAYOUTS[message];
    const said = op === "decode" ? decode(layout, Buffer.from(bytes, "hex")) : encode(layout, value);
    return { id, ...said };
  } catch (error) {
    return { id, rejected: error.message, error: error.name };
  }
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
