// kafkajs as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
"use strict";

const { ConfigResourceTypes, Kafka, ResourceTypes, logLevel } = require("kafkajs");

const REQUEST_MS = 3000;
const ACTION_MS = 6000;
const MEMBER_MS = 400; // long enough for some heartbeats
const HEARTBEAT_MS = 100;
const EVENTS = "events";

const [action, bootstrap] = process.argv.slice(2);
const user = { username: "one,two=three", password: "four=five,six" };
const sasl = { login: { mechanism: "plain", ...user }, scram: { mechanism: "scram-sha-256", ...user } };
const kafka = new Kafka({
  sasl: sasl[action],
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
  const told = await ask(admin);
  await admin.disconnect();
  return told;
};

// What a release before 1.15 may not have.
const has = (client, ...names) => {
  const name = names.find((each) => each in client);
  if (!name) end(1, "unsupported", "it has no", names[0]);
  return (...given) => client[name](...given);
};

const topics = () => asAdmin(async (admin) => { await has(admin, "listTopics", "getTopicMetadata")(); });

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

const listing = () => asAdmin(async (admin) => {
  const { groups: listed } = await has(admin, "listGroups")();
  return listed.map((each) => each.groupId);
});

const offsets = () => asAdmin((admin) => admin.fetchOffsets({ groupId: "group-a" }));

const configs = () => asAdmin(async (admin) => {
  const type = (ConfigResourceTypes ?? ResourceTypes).BROKER ?? ResourceTypes.CLUSTER;
  await admin.describeConfigs({ resources: [{ type, name: "1" }] });
});

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

const actions = {
  topics, groups, create, produce, consume, join, login: topics, scram: topics, listing, offsets, configs,
};
if (!(action in actions)) end(1, "unsupported", "it has no", action);
else actions[action]().then(
  (told) => end(0, "ok", ...(action === "listing" ? told : [])),
  (error) => end(1, "error", error.type ?? error.name, error.message),
);
