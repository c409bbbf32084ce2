// How @platformatic/kafka's arguments and results map to Kafka's definitions, where they differ.

// What can't be said through the library's arguments, or is not told in its answers.
export const LEFT_OUT = {
  AlterPartitionRequest: [0, 1, 2], // other arguments than its fields
  DescribeConfigsResponse: [0], // isDefault
  FetchRequest: 'all', // logStartOffset
  FetchResponse: 'all', // records as bytes
  ListGroupsRequest: [5], // types that it does not know
  ListOffsetsRequest: [0], // maxNumOffsets
  ListOffsetsResponse: [0], // all offsets but the first
  MetadataRequest: [10, 11], // topicId
  OffsetCommitRequest: [1, 2, 3, 4], // timestamps and retention
  ProduceRequest: 'all', // records as bytes
  UpdateFeaturesRequest: [0], // allowDowngrade
}
export const MESSAGES = { ListClientMetricsResources: 'ListConfigResources' } // its name in newer releases

const ACL = {
  resourceTypeFilter: 'resourceType',
  resourceNameFilter: 'resourceName',
  patternTypeFilter: 'resourcePatternType',
  principalFilter: 'principal',
  hostFilter: 'host',
  resourcePatternType: 'patternType',
}
export const NAMES = { // ours to the library's for requests, the library's to ours for responses
  AlterClientQuotasRequest: { entity: 'entities' },
  DeleteAclsRequest: ACL,
  DeleteAclsResponse: ACL,
  DescribeAclsRequest: ACL,
  DescribeAclsResponse: ACL,
  DescribeLogDirsRequest: { topic: 'name' },
  ListOffsetsRequest: { replicaId: 'replica' },
  OffsetForLeaderEpochRequest: { topic: 'name', partition: 'partitionIndex' },
  TxnOffsetCommitRequest: { generationIdOrMemberEpoch: 'generationId' },
}
const words = (text) => new Set(text.split(' '))
export const ABSENT = { // what it shows, though versions to the first number lack it
  CreateTopicsResponse: [[0, 'errorMessage'], [4, 'configs']],
  DescribeConfigsResponse: [[2, 'configType'], [2, 'documentation']],
  DescribeQuorumResponse: [[1, 'errorMessage'], [1, 'nodes'], [1, 'replicaDirectoryId']],
  FindCoordinatorResponse: [[0, 'errorMessage']],
}
const older = (name) => name.replace(/^v3AndBelow(.)/, (_, first) => first.toLowerCase())
export const SHAPES = { // older versions, which the library takes and gives in the form of the newer ones
  AddPartitionsToTxnRequest: [3, (v) => ({ transactions: [Object.fromEntries(Object.entries(v).map(([name, x]) => [older(name), x]))] })],
  AddPartitionsToTxnResponse: [3, ({ throttleTimeMs, resultsByTransaction: [only] }) =>
    ({ throttleTimeMs, resultsByTopicV3AndBelow: only.topicResults })],
  ApiVersionsResponse: [4, (v) => ({ ...v, apiKeys: v.apiKeys.map(({ name, ...key }) => key) })],
  DeleteTopicsRequest: [5, (v) => ({ ...v, topics: v.topicNames.map((name) => ({ name })) })],
  DescribeAclsRequest: [3, (filter) => ({ filter })],
  FindCoordinatorRequest: [3, ({ key, keyType }) => ({ keyType, coordinatorKeys: [key] })],
  FindCoordinatorResponse: [3, ({ throttleTimeMs, coordinators: [{ key, ...only }] }) => ({ throttleTimeMs, ...only })],
  LeaveGroupRequest: [2, ({ groupId, memberId }) => ({ groupId, members: [{ memberId }] })],
  OffsetFetchRequest: [7, ({ requireStable, ...only }) => ({ requireStable, groups: [only], args: [only] })],
  OffsetFetchResponse: [7, ({ groups, ...only }) => only],
}
export const INT64 = words('brokerEpoch committedOffset durationFilter expiryTimePeriodMs maxLifetimeMs offset ' +
  'producerId producerIdFilters renewPeriodMs retentionTimeMs timestamp v3AndBelowProducerId')
export const BYTES = words('assignment authBytes clientHostAddress hmac metadata metrics requestData ' +
  'requestPrincipal salt saltedPassword')
export const UUIDS = words('clientInstanceId replicaDirectoryId topicId')
export const grouped = (id) => Buffer.from(id, 'base64url').toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
export const ungrouped = (id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
