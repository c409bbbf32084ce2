// What an application alters and deletes, and the client's id.
"use strict";

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ConfigResourceTypes, ResourcePatternTypes, ResourceTypes } = require("kafkajs");

const clientIds = { blank: "", lengthy: "x".repeat(300), brimming: "x".repeat(240), foreign: "cl\u00e9-\u540d-\u{1f99c}" };

const altering = (asAdmin, has, timeout) => ({
  replace: () => asAdmin(async (admin) => {
    const type = (ConfigResourceTypes ?? ResourceTypes).BROKER ?? ResourceTypes.CLUSTER;
    const configEntries = [{ name: "log.cleaner.threads", value: "2" }];
    await has(admin, "alterConfigs")({ validateOnly: false, resources: [{ type, name: "1", configEntries }] });
  }),

  acls: () => asAdmin(async (admin) => {
    const topic = {
      resourceType: AclResourceTypes?.TOPIC, resourceName: "events", resourcePatternType: ResourcePatternTypes?.LITERAL,
    };
    const may = {
      principal: "User:alice", host: "*", operation: AclOperationTypes?.READ, permissionType: AclPermissionTypes?.ALLOW,
    };
    await has(admin, "createAcls")({ acl: [{ ...topic, ...may }] });
    await admin.describeAcls({ ...topic, ...may });
    await admin.deleteAcls({ filters: [{ ...topic, ...may }] });
  }),

  delete: () => asAdmin((admin) => has(admin, "deleteTopics")({ topics: ["orders.v2"], timeout })),
});

module.exports = { altering, clientIds };
