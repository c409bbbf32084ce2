// Two transactions, of which one that fails is aborted, and records whose time is up before the last.
"use strict";

const WAIT_MS = 64;
const GIVEN_MS = 1500;
const LATER_MS = 2500;
const METADATA_MS = 200;
const AT_ONCE = 4;
const FIRST = Array.from({ length: 8 }, (_, index) => `v${index}`);
const IDEMPOTENT = { idempotent: true, maxInFlightRequests: 1 };

const writingTwice = (asProducer, has, record) => {
  const written = (value) => ({ ...record, messages: [{ key: "k", value, partition: 0 }] });

  // Whether these are committed, or else aborted.
  const committed = async (producer, values) => {
    const transaction = await has(producer, "transaction")();
    try {
      const outcomes = await Promise.allSettled(values.map((value) => transaction.send(written(value))));
      const failed = outcomes.find((each) => each.status === "rejected");
      if (failed) throw failed.reason;
      await transaction.commit();
    } catch {
      await transaction.abort();
      return "aborted";
    }
    return "committed";
  };

  return {
    twice: async () => {
      const told = [];
      const retry = { initialRetryTime: WAIT_MS, maxRetryTime: WAIT_MS };
      await asProducer({ ...IDEMPOTENT, retry, transactionalId: "tx-a" }, async (producer) => {
        for (const values of [FIRST, ["w"]]) told.push(await committed(producer, values));
      });
      return told;
    },

    later: () => asProducer({ ...IDEMPOTENT, metadataMaxAge: METADATA_MS }, async (producer) => {
      const messages = Array.from({ length: AT_ONCE }, () => written("v").messages[0]);
      await producer.send({ ...record, messages, timeout: GIVEN_MS }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, LATER_MS));
      await producer.send(written("w"));
    }),
  };
};

module.exports = { writingTwice };
