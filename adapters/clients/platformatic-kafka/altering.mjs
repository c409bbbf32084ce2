// What an application alters and deletes, log dirs, and the client's id.

export const clientIds = { blank: "", lengthy: "x".repeat(300), brimming: "x".repeat(240), foreign: "cl\u00e9-\u540d-\u{1f99c}" };

const config = { name: "log.cleaner.threads", value: "2" };
const broker = { resourceType: 4, resourceName: "1" };
const acl = {
  resourceType: 2, resourceName: "events", resourcePatternType: 3,
  principal: "User:alice", host: "*", operation: 3, permissionType: 3,
};

export const altering = (asAdmin, has) => ({
  alter: () => asAdmin((admin) => has(admin, "incrementalAlterConfigs")({
    resources: [{ ...broker, configs: [{ ...config, configOperation: 0 }] }],
  })),

  replace: () => asAdmin((admin) => has(admin, "alterConfigs")({ resources: [{ ...broker, configs: [config] }] })),

  acls: () => asAdmin(async (admin) => {
    await has(admin, "createAcls")({ creations: [acl] });
    await admin.describeAcls({ filter: acl });
    await admin.deleteAcls({ filters: [acl] });
  }),

  forget: () => asAdmin((admin) => has(admin, "deleteConsumerGroupOffsets")({
    groupId: "group-a", topics: [{ name: "events", partitionIndexes: [0] }],
  })),

  delete: () => asAdmin((admin) => has(admin, "deleteTopics")({ topics: ["orders.v2"] })),

  // It has no word for one broker, nor for all topics.
  dirs: () => asAdmin((admin) => has(admin, "describeLogDirs")({ topics: [{ name: "events", partitions: [0] }] })),
});
