// Large records, of which none waits for another.
"use strict";

const LENGTH = 500_000;
const SHORT = 100;
const ROUNDS = [["a".repeat(LENGTH), "b".repeat(SHORT)], ["c".repeat(LENGTH), "d".repeat(LENGTH)]];

// Each is sent whatever becomes of the others, in a batch of its own.
const large = (asProducer, topic) => asProducer({}, async (producer) => {
  let failed;
  for (const values of ROUNDS) {
    const messages = values.map((value) => [{ key: "k", value, partition: 0 }]);
    const sent = messages.map((each) => producer.send({ topic, acks: -1, messages: each }));
    const outcomes = await Promise.allSettled(sent);
    failed ??= outcomes.find((each) => each.status === "rejected");
  }
  if (failed) throw failed.reason;
});

module.exports = { large };
