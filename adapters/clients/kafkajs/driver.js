// kafkajs as a driver: ACTION HOST:PORT. Its last line is ok, or error and why.
"use strict";

const { CompressionTypes, ConfigResourceTypes, Kafka, ResourceTypes, logLevel } = require("kafkajs");
const { altering, clientIds } = require("./altering");
const { writingTwice } = require("./twice");
const { large } = require("./large");

const REQUEST_MS = 3000;
const ACTION_MS = 6000;
const MEMBER_MS = 400; // long enough for some heartbeats
const HEARTBEAT_MS = 100;
const REMAIN_MS = 2500;
const COMMITS = 30;
const COMMIT_MS = 50;
const WRITTEN_MS = 1_700_000_000_000;
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000;
const SEVERAL = 8;
const STEADY = 25;
const PAUSE_MS = 100;
const REST_MS = 500;
const EVENTS = process.env.KAFKA_TOPIC ?? "events";
const OTHER = "orders.v2";
const TOKEN = "eyJhbGciOiJub25lIn0" // of the user, that nobody signed
  + ".eyJzdWIiOiJvbmUsdHdvPXRocmVlIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQxMDI0NDQ4MDB9.";

const [action, bootstrap] = process.argv.slice(2);
const user = {
  username: process.env.KAFKA_USER ?? "one,two=three", password: process.env.KAFKA_PASSWORD ?? "four=five,six",
};
const sasl = { login: { mechanism: "plain", ...user }, scram: { mechanism: "scram-sha-256", ...user },
  steady: { mechanism: "plain", ...user }, remain: { mechanism: "plain", ...user },
  oauth: { mechanism: "oauthbearer", oauthBearerProvider: async () => ({ value: TOKEN }) },
};
const kafka = new Kafka({
  clientId: clientIds[action],
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
  if (!name) return () => new Promise(() => {}); // it is about to end
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

const configsOf = (...names) => () => asAdmin(async (admin) => {
  const type = (ConfigResourceTypes ?? ResourceTypes).BROKER ?? ResourceTypes.CLUSTER;
  await admin.describeConfigs({ resources: names.map((name) => ({ type, name })) });
});

const configs = configsOf("1");
const brokers = configsOf("1", "2");

const grow = () => asAdmin((admin) => has(admin, "createPartitions")({
  validateOnly: true, timeout: REQUEST_MS, topicPartitions: [{ topic: EVENTS, count: 2 }],
}));

const cluster = () => asAdmin(async (admin) => [(await has(admin, "describeCluster")()).controller ?? "none"]);

const record = { topic: EVENTS, acks: -1, messages: [{ key: "k", value: "v" }] };

const asProducer = async (settings, write) => {
  const producer = kafka.producer(settings);
  await producer.connect();
  await write(producer);
  await producer.disconnect();
};

const produce = () => asProducer({}, (producer) => producer.send(record));

const unacknowledged = () => asProducer({}, (producer) => producer.send({ ...record, acks: 0 }));

const several = [
  { key: "k", value: "v", timestamp: String(WRITTEN_MS) },
  { key: null, value: "w", timestamp: String(WRITTEN_MS + 1000) },
  { key: "x", value: null, timestamp: String(WRITTEN_MS + LONGEST_MS) },
  { key: "", value: "", timestamp: String(WRITTEN_MS - 1000), headers: { h: "1" } },
];

const batch = () => asProducer({}, (producer) => producer.send({ ...record, messages: several }));

const gzip = () => asProducer({}, (producer) => producer.send({
  ...record, messages: several, compression: CompressionTypes.GZIP,
}));

// The second record is written whatever became of the first.
const idempotent = () => asProducer({ idempotent: true, maxInFlightRequests: 1 }, async (producer) => {
  const first = await producer.send(record).catch((error) => error);
  await producer.send(record);
  if (first instanceof Error) throw first;
});

// Each is sent whatever becomes of the others, in a batch of its own.
const stream = () => {
  let offsets;
  return asProducer({ idempotent: true, maxInFlightRequests: 1 }, async (producer) => {
    const values = Array.from({ length: SEVERAL }, (_, index) => `v${index}`);
    const sent = values.map((value) => producer.send({ ...record, messages: [{ key: "k", value }] }));
    const outcomes = await Promise.allSettled(sent);
    const failed = outcomes.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
    offsets = outcomes.map((each) => each.value[0].baseOffset ?? each.value[0].offset);
  }).then(() => offsets);
};

// The second is sent whatever became of the first; those that were written are told.
const both = async () => {
  const written = [];
  let failed;
  await asProducer({}, async (producer) => {
    for (const topic of [OTHER, EVENTS]) {
      const messages = [{ ...record.messages[0], partition: 0 }];
      await producer.send({ ...record, topic, messages }).then(
        () => written.push(topic), (error) => { failed = error; },
      );
    }
  });
  if (!written.length) throw failed;
  return written;
};

// Brokers may make the topic unless it is told otherwise.
const made = () => asProducer({}, (producer) => producer.send({ ...record, topic: "made-by-writing" }));

// A record each tenth of a second, behind a login.
const steady = () => asProducer({}, async (producer) => {
  setTimeout(() => end(1, "error", late.name, "not all was written in time"), 2 * ACTION_MS);
  for (let count = 0; count < STEADY; count += 1) {
    await producer.send(record);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
});

const inTransaction = (write) => asProducer(
  { idempotent: true, maxInFlightRequests: 1, transactionalId: "tx-a" },
  async (producer) => {
    const transaction = await has(producer, "transaction")();
    await write(transaction);
    await transaction.commit();
  },
);

const transact = () => inTransaction(async (transaction) => {
  await transaction.send(record);
  const partitions = [{ partition: 0, offset: "1" }];
  await transaction.sendOffsets({
    consumerGroupId: "group-a", topics: [{ topic: EVENTS, partitions }],
  });
});

const empty = () => inTransaction(async () => {});

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

const text = (raw) => (raw === null ? "null" : raw.toString());

const told = ({ message: { offset, timestamp, key, value } }) =>
  `${offset}/${timestamp}/${text(key)}/${text(value)}`;

// All records of a partition, each told as OFFSET/TIMESTAMP/KEY/VALUE.
const read = async (settings) => {
  const consumer = kafka.consumer({ groupId: "group-of-the-driver", maxWaitTimeInMs: 500, ...settings });
  await consumer.connect();
  await consumer.subscribe({ topic: EVENTS, fromBeginning: true });
  const found = [];
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    const eachMessage = async (each) => {
      found.push(told(each));
      if (text(each.message.key) === "end") resolve();
    };
    consumer.run({ autoCommit: false, eachMessage }).catch(reject);
  });
  return found;
};

const uncommitted = () => read({ readUncommitted: true });

// One record after the other, with a pause behind the first: OFFSET/?, as no call tells the position.
const position = async () => {
  const consumer = kafka.consumer({ groupId: "group-of-the-driver", maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic: EVENTS, fromBeginning: true });
  const found = [];
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    const eachMessage = async ({ message }) => {
      found.push(`${message.offset}/?`);
      if (text(message.key) === "end") resolve();
      if (found.length > 1) return;
      consumer.pause([{ topic: EVENTS }]);
      setTimeout(() => consumer.resume([{ topic: EVENTS }]), 2 * PAUSE_MS);
    };
    consumer.run({ autoCommit: false, eachMessage }).catch(reject);
  });
  return found;
};

// Partitions that are read until a record of each has come, paused one pause after the other, and read again.
const paused = async (topics, partitions, ...pauses) => {
  const consumer = kafka.consumer({ groupId: "group-of-the-driver", maxWaitTimeInMs: HEARTBEAT_MS });
  await consumer.connect();
  for (const topic of topics) await consumer.subscribe({ topic, fromBeginning: true });
  let read = () => {};
  const each = () => new Promise((resolve, reject) => {
    setTimeout(() => reject(late), ACTION_MS);
    const found = new Set();
    read = ({ topic, partition }) => { if (found.add(`${topic} ${partition}`).size === partitions) resolve(); };
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
  });
  const first = each();
  consumer.run({ autoCommit: false, eachMessage: async (message) => read(message) }).catch(() => {});
  await first;
  for (const indices of pauses) {
    consumer.pause([{ topic: OTHER, partitions: indices }]);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  const again = each();
  consumer.resume([{ topic: OTHER, partitions: [0, 1] }]);
  await again;
};

const pause = () => paused([OTHER], 2, [0], [1]);
const aside = () => paused([OTHER, EVENTS], 3, [0, 1]);

// None waits for another, and whatever becomes of each.
const commitOften = async (commit) => {
  for (let count = 0; count < COMMITS; count += 1) {
    commit().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, COMMIT_MS));
  }
};

const commitOnce = async (commit) => {
  await commit();
  await new Promise((resolve) => setTimeout(resolve, MEMBER_MS));
};

const commitLate = async (commit) => {
  await new Promise((resolve) => setTimeout(resolve, REMAIN_MS));
  await commit();
};

const asMember = (stay) => async () => {
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
  await stay(() => has(consumer, "commitOffsets")([{ topic: EVENTS, partition: 0, offset: "1" }]));
  await consumer.disconnect();
  return ["quiet"]; // an error would have ended it
};

const join = asMember(commitOnce);
const commits = asMember(commitOften);
const remain = asMember(commitLate);

const end = (status, ...words) => {
  process.stdout.write(`${words.join(" ").replace(/\s+/g, " ")}\n`, () => process.exit(status));
};

process.on("beforeExit", () => end(1, "error", "Forgotten", "it waits for nothing any more"));

const actions = {
  large: () => large(asProducer, EVENTS),
  topics, cluster, groups, create, produce, consume, join, commits, remain, login: topics, scram: topics, listing, offsets, configs,
  grow, unacknowledged, batch, gzip, idempotent, transact, empty, read,
  oauth: topics, brokers, stream, both, made, steady, uncommitted, pause, aside, position,
  ...writingTwice(asProducer, has, record),
  ...altering(asAdmin, has, REQUEST_MS), blank: topics, lengthy: topics, brimming: topics, foreign: topics,
};
const telling = ["cluster", "listing", "join", "read", "uncommitted", "stream", "both", "twice", "position"];
if (!(action in actions)) end(1, "unsupported", "it has no", action);
else actions[action]().then(
  (said) => end(0, "ok", ...(telling.includes(action) ? said : [])),
  (error) => end(1, "error", error.type ?? error.name, error.message),
);
