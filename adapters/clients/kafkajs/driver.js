// kafkajs as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
"use strict";

const { Kafka, logLevel } = require("kafkajs");

const REQUEST_MS = 3000;
const ACTION_MS = 6000;
const MEMBER_MS = 400; // long enough for some heartbeats
const HEARTBEAT_MS = 100;
const EVENTS = "events";

const [action, bootstrap] = process.argv.slice(2);
const kafka = new Kafka({
  brokers: [bootstrap],
  connectionTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
  retry: { maxRetryTime: 1000 }, // between two of its six attempts
  logLevel: logLevel.NOTHING,
});

const late = new Error(`no record came within ${ACTION_MS} ms`);
late.name = "DriverTimeout";

const asAdmin = async (ask) => {
  const admin = kafka.admin();
  await admin.connect();
  await ask(admin);
  await admin.disconnect();
};

// What a release before 1.15 may not have.
const has = (client, ...names) => {
  const name = names.find((each) => each in client);
  if (!name) end(1, "unsupported", "it has no", names[0]);
  return (...given) => client[name](...given);
};

const topics = () => asAdmin((admin) => has(admin, "listTopics", "getTopicMetadata")());

const groups = () => asAdmin(async (admin) => {
  const answer = await has(admin, "describeGroups")(["group-a", "group-b"]);
  const wrong = answer.groups.find((group) => group.errorCode !== 0);
  if (wrong) throw new Error(`${wrong.groupId}: error ${wrong.errorCode}`);
});

const create = () => asAdmin((admin) => admin.createTopics({
  topics: [{ topic: "made-by-a-client", numPartitions: 1, replicationFactor: 1 }],
  timeout: REQUEST_MS,
  waitForLeaders: false,
}));

const produce = async () => {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: EVENTS, acks: -1, messages: [{ key: "k", value: "v" }] });
  await producer.disconnect();
};

// It has no consumer without a group.
const consume = async () => {
  const consumer = kafka.consumer({ groupId: "group-of-the-driver", maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic: EVENTS, fromBeginning: true });
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    consumer.run({ autoCommit: false, eachMessage: async () => resolve() }).catch(reject);
  });
};

const join = async () => {
  const consumer = kafka.consumer({
    groupId: "group-a", heartbeatInterval: HEARTBEAT_MS, maxWaitTimeInMs: HEARTBEAT_MS,
  });
  await consumer.connect();
  await consumer.subscribe({ topic: EVENTS, fromBeginning: true });
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    consumer.run({ autoCommit: false, eachMessage: async () => resolve() }).catch(reject);
  });
  await has(consumer, "commitOffsets")([{ topic: EVENTS, partition: 0, offset: "1" }]);
  await new Promise((resolve) => setTimeout(resolve, MEMBER_MS));
  await consumer.disconnect();
};

const end = (status, ...words) => {
  process.stdout.write(`${words.join(" ").replace(/\s+/g, " ")}\n`, () => process.exit(status));
};

process.on("beforeExit", () => end(1, "error", "Forgotten", "it waits for nothing any more"));

const actions = { topics, groups, create, produce, consume, join };
if (!(action in actions)) end(1, "unsupported", "it has no", action);
else actions[action]().then(
  () => end(0, "ok"),
  (error) => end(1, "error", error.type ?? error.name, error.message),
);
