// kafkajs as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
"use strict";

const { Kafka, logLevel } = require("kafkajs");

const REQUEST_MS = 3000;
const ACTION_MS = 6000;
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

const topics = () => asAdmin((admin) => admin.listTopics());

const groups = () => asAdmin(async (admin) => {
  const answer = await admin.describeGroups(["group-a", "group-b"]);
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
  await consumer.subscribe({ topics: [EVENTS], fromBeginning: true });
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    consumer.run({ autoCommit: false, eachMessage: async () => resolve() }).catch(reject);
  });
};

const end = (status, ...words) => {
  process.stdout.write(`${words.join(" ").replace(/\s+/g, " ")}\n`, () => process.exit(status));
};

process.on("beforeExit", () => end(1, "error", "Forgotten", "it waits for nothing any more"));

({ topics, groups, create, produce, consume })[action]().then(
  () => end(0, "ok"),
  (error) => end(1, "error", error.type ?? error.name, error.message),
);
