// @platformatic/kafka as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
import { randomUUID } from "node:crypto";
import * as kafka from "@platformatic/kafka";
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from "@platformatic/kafka";
import { altering, clientIds } from "./altering.mjs";
import { writingTwice } from "./twice.mjs";
import { large } from "./large.mjs";

const REQUEST_MS = 1000; // it tries four times, in places four times four
const ACTION_MS = 6000;
const MEMBER_MS = 400; // long enough for some heartbeats
const HEARTBEAT_MS = 100;
const REMAIN_MS = 2500;
const COMMITS = 30;
const SEVERAL = 8;
const MANY = 80_000;
const STEADY = 25;
const PAUSE_MS = 100;
const EVENTS = process.env.KAFKA_TOPIC ?? "events";
const OTHER = "orders.v2";
const TOKEN = "eyJhbGciOiJub25lIn0" // of the user, that nobody signed
  + ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9.";

const [action, bootstrap] = process.argv.slice(2);
const user = {
  username: process.env.KAFKA_USER ?? "one,two=three", password: process.env.KAFKA_PASSWORD ?? "four=five,six",
};
const sasl = { login: { mechanism: "PLAIN", ...user }, scram: { mechanism: "SCRAM-SHA-256", ...user },
  steady: { mechanism: "PLAIN", ...user }, remain: { mechanism: "PLAIN", ...user },
  oauth: { mechanism: "OAUTHBEARER", token: TOKEN },
};
const limits = {
  sasl: sasl[action],
  clientId: clientIds[action] ?? "driver",
  bootstrapBrokers: [bootstrap],
  retryDelay: 200,
  timeout: REQUEST_MS,
  connectTimeout: REQUEST_MS,
  requestTimeout: REQUEST_MS,
};

const late = new Error(`no record came within ${ACTION_MS} ms`);
late.name = "DriverTimeout";

const asAdmin = async (ask) => {
  const admin = new Admin(limits);
  const told = await ask(admin);
  await admin.close();
  return told;
};

const topics = () => asAdmin(async (admin) => { await admin.listTopics(); });

const groups = () => asAdmin((admin) => admin.describeGroups({ groups: ["group-a", "group-b"] }));

const create = () => asAdmin((admin) => admin.createTopics({
  topics: ["made-by-a-client"], partitions: 1, replicas: 1,
}));

// What a release may not have yet.
const has = (client, name) => {
  if (!(name in client)) end(1, "unsupported", "it has no", name);
  if (!(name in client)) return () => new Promise(() => {}); // it is about to end
  return (...given) => client[name](...given);
};

const listing = () => asAdmin(async (admin) => [...(await admin.listGroups()).keys()]);

const offsets = () => asAdmin((admin) => has(admin, "listConsumerGroupOffsets")({ groups: ["group-a"] }));

const configsOf = (...names) => () => asAdmin((admin) => has(admin, "describeConfigs")({
  resources: names.map((name) => ({ resourceType: 4, resourceName: name })),
}));

const configs = configsOf("1");
const brokers = configsOf("1", "2");

const ends = () => asAdmin((admin) => has(admin, "listOffsets")({
  topics: [{ name: EVENTS, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
  isolationLevel: kafka.FetchIsolationLevels?.READ_COMMITTED ?? 1,
}));

const record = { acks: -1, messages: [{ topic: EVENTS, key: "k", value: "v" }] };

const asProducer = async (settings, write) => {
  const producer = new Producer({ ...limits, serializers: stringSerializers, ...settings });
  await write(producer);
  await producer.close();
};

const produce = () => asProducer({}, (producer) => producer.send(record));

// The second record is written whatever became of the first.
const idempotent = () => asProducer({ idempotent: true }, async (producer) => {
  const first = await producer.send(record).catch((error) => error);
  await producer.send(record);
  if (first instanceof Error) throw first;
});

// Each is sent whatever becomes of the others, in a batch of its own.
const stream = async () => {
  let offsets;
  await asProducer({ idempotent: true }, async (producer) => {
    const values = Array.from({ length: SEVERAL }, (_, index) => `v${index}`);
    const messages = values.map((value) => [{ topic: EVENTS, partition: 0, key: "k", value }]);
    const outcomes = await Promise.allSettled(messages.map((each) => producer.send({ acks: -1, messages: each })));
    const failed = outcomes.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
    offsets = outcomes.map((each) => each.value.offsets[0].offset);
  });
  return offsets;
};

// All in one batch.
const many = () => asProducer({ idempotent: true }, (producer) => producer.send({
  acks: -1, messages: Array.from({ length: MANY }, () => ({ ...record.messages[0], partition: 0 })),
}));

// A topic that brokers are to make.
const made = () => asProducer({ autocreateTopics: true }, (producer) => producer.send({
  ...record, messages: [{ ...record.messages[0], topic: "made-by-writing" }],
}));

// The second is sent whatever became of the first; those that were written are told.
const both = async () => {
  const written = [];
  let failed;
  await asProducer({}, async (producer) => {
    for (const topic of [OTHER, EVENTS]) {
      const messages = [{ topic, partition: 0, key: "k", value: "v" }];
      await producer.send({ acks: -1, messages }).then(
        () => written.push(topic), (error) => { failed = error; },
      );
    }
  });
  if (!written.length) throw failed;
  return written;
};

const limited = () => setTimeout(() => end(1, "error", late.name, "not all was written in time"), 2 * ACTION_MS);

// A record each tenth of a second, behind a login.
const steady = () => asProducer({}, async (producer) => {
  limited();
  for (let count = 0; count < STEADY; count += 1) {
    await producer.send(record);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
});

const inTransaction = (write) => asProducer({ idempotent: true, transactionalId: "tx-a" }, async (producer) => {
  const transaction = await has(producer, "beginTransaction")();
  await write(transaction);
  await transaction.commit();
});

const transact = () => inTransaction((transaction) => transaction.send(record));

const empty = () => inTransaction(async () => {});

// It has no consumer without a group, and a broker may hold an answer about one back for a while.
const consume = async () => {
  const groupId = `group-${randomUUID()}`;
  const consumer = new Consumer({
    ...limits, groupId, requestTimeout: ACTION_MS, deserializers: stringDeserializers,
  });
  const stream = await consumer.consume({
    topics: [EVENTS], mode: "earliest", autocommit: false, maxWaitTime: 500,
  });
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    stream.on("data", resolve);
    stream.on("error", reject);
  });
};

const text = (raw) => (raw == null ? "null" : raw.toString());

const told = ({ offset, timestamp, key, value }) => `${offset}/${timestamp}/${text(key)}/${text(value)}`;

// All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE.
const read = async (isolation) => {
  const consumer = new Consumer({
    ...limits, ...isolation, groupId: `group-${randomUUID()}`, requestTimeout: ACTION_MS,
  });
  const stream = await consumer.consume({
    topics: [EVENTS], mode: "earliest", autocommit: false, maxWaitTime: 500,
  });
  const found = [];
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    stream.on("error", reject);
    stream.on("data", (message) => {
      found.push(told(message));
      if (text(message.key) === "end") resolve();
    });
  });
  return found;
};

const uncommitted = () => read({ isolationLevel: kafka.FetchIsolationLevels?.READ_UNCOMMITTED ?? 0 });

const commitOnce = async (message) => {
  await message.commit();
  await new Promise((resolve) => setTimeout(resolve, MEMBER_MS));
};

// None waits for another, and whatever becomes of each.
const commitOften = async (message) => {
  for (let count = 0; count < COMMITS; count += 1) {
    Promise.resolve(message.commit()).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS / 2));
  }
};

const commitLate = async (message) => {
  await new Promise((resolve) => setTimeout(resolve, REMAIN_MS));
  await message.commit();
};

const stay = async (settings, then = commitOnce) => {
  const consumer = new Consumer({
    ...limits, ...settings, groupId: "group-a",
    requestTimeout: ACTION_MS, deserializers: stringDeserializers,
  });
  const stream = await consumer.consume({
    topics: [EVENTS], mode: "committed", fallbackMode: "earliest", autocommit: false, maxWaitTime: 500,
  });
  const message = await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    stream.on("data", resolve);
    stream.on("error", reject);
  });
  await then(message);
  await stream.close();
  await consumer.leaveGroup();
  await consumer.close();
  return ["quiet"]; // an error would have ended it
};

const join = () => stay({ heartbeatInterval: HEARTBEAT_MS });

const remain = () => stay({ heartbeatInterval: HEARTBEAT_MS }, commitLate);

const commits = () => stay({ heartbeatInterval: HEARTBEAT_MS }, commitOften);

// What is read is committed by the client itself.
const again = async () => {
  const consumer = new Consumer({
    ...limits, groupProtocol: "consumer", groupId: "group-a", requestTimeout: ACTION_MS,
  });
  for (let time = 0; time < 2; time += 1) {
    const stream = await consumer.consume({
      topics: [EVENTS], mode: "committed", fallbackMode: "earliest", autocommit: true, maxWaitTime: 500,
    });
    await new Promise((resolve, reject) => {
      setTimeout(() => reject(late), ACTION_MS);
      stream.on("data", resolve);
      stream.on("error", reject);
    });
    await stream.close();
    await consumer.leaveGroup();
  }
  await consumer.close();
};

const member = () => stay({ groupProtocol: "consumer" });

const causes = (error) => [error.message, ...(error.errors ?? []).map((each) => each.message)];

const end = (status, ...words) => {
  process.stdout.write(`${words.join(" ").replace(/\s+/g, " ")}\n`, () => process.exit(status));
};

process.on("beforeExit", () => end(1, "error", "Forgotten", "it waits for nothing any more"));

const actions = {
  large: () => large(asProducer, EVENTS),
  topics, groups, create, produce, consume, join, commits, remain, member, again, login: topics, scram: topics, listing, offsets, configs, ends,
  oauth: topics, brokers, idempotent, transact, empty, read, stream, many, both, made, steady, uncommitted,
  ...writingTwice(asProducer, has, record, limited),
  ...altering(asAdmin, has), blank: topics, lengthy: topics, brimming: topics, foreign: topics,
};
const telling = ["listing", "join", "read", "uncommitted", "stream", "both", "twice"];
if (!(action in actions)) end(1, "unsupported", "it has no", action);
else actions[action]().then(
  (said) => end(0, "ok", ...(telling.includes(action) ? said : [])),
  (error) => end(1, "error", error.code ?? error.name, ...causes(error)),
);
