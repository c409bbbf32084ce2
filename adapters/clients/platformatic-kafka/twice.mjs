// Two transactions, of which one that fails is aborted, and records whose time is up before the last.

const WAIT_MS = 64;
const LATER_MS = 2500;
const METADATA_MS = 200;
const AT_ONCE = 4;
const FIRST = Array.from({ length: 8 }, (_, index) => `v${index}`);

export const writingTwice = (asProducer, has, record, limited) => {
  const written = (value) => ({ ...record, messages: [{ ...record.messages[0], value, partition: 0 }] });

  // Whether these are committed, or else aborted.
  const committed = async (producer, values) => {
    const transaction = await has(producer, "beginTransaction")();
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
      limited();
      await asProducer({ idempotent: true, retryDelay: WAIT_MS, transactionalId: "tx-a" }, async (producer) => {
        for (const values of [FIRST, ["w"]]) told.push(await committed(producer, values));
      });
      return told;
    },

    later: () => asProducer({ idempotent: true, metadataMaxAge: METADATA_MS }, async (producer) => {
      const messages = Array.from({ length: AT_ONCE }, () => written("v").messages[0]);
      await producer.send({ ...record, messages }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, LATER_MS));
      await producer.send(written("w"));
    }),
  };
};
