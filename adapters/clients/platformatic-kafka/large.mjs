// Large records, of which none waits for another.

const LENGTH = 500_000;
const SHORT = 100;
const RECORD_MS = 3000;
const ROUNDS = [["a".repeat(LENGTH), "b".repeat(SHORT)], ["c".repeat(LENGTH), "d".repeat(LENGTH)]];

// Each is sent whatever becomes of the others, in a batch of its own.
export const large = (asProducer, topic) => asProducer({ requestTimeout: RECORD_MS }, async (producer) => {
  let failed;
  for (const values of ROUNDS) {
    const messages = values.map((value) => [{ topic, partition: 0, key: "k", value }]);
    const outcomes = await Promise.allSettled(messages.map((each) => producer.send({ acks: -1, messages: each })));
    failed ??= outcomes.find((each) => each.status === "rejected");
  }
  if (failed) throw failed.reason;
});
