// Which of kafkajs's arguments and results are which fields. A message is a list of fields, each
// named as in Kafka's definitions and, after `=`, as in kafkajs where that differs:
//   name{…}  a struct, or an array of them      name!      bytes
//   name?    null is an empty array to kafkajs  name@0-2   in these versions
//   name<x>  numbers, objects of one key there  name[x]    objects of one key, bare ones there

const RESULT = 'errorCode errorMessage'
const ACL = 'principal host operation permissionType'
const FILTER = 'resourceTypeFilter=resourceType resourceNameFilter=resourceName ' +
  'patternTypeFilter=resourcePatternType principalFilter=principal hostFilter=host operation permissionType'
const TIMEOUT = 'timeoutMs=timeout'
const THROTTLE = 'throttleTimeMs=clientSideThrottleTime|throttleTimeMs|throttleTime'
const PRODUCER = 'producerId producerEpoch'

module.exports = {
  AddOffsetsToTxnRequest: `transactionalId ${PRODUCER} groupId`,
  AddOffsetsToTxnResponse: `${THROTTLE} errorCode`,
  AddPartitionsToTxnRequest: 'v3AndBelowTransactionalId=transactionalId v3AndBelowProducerId=producerId ' +
    'v3AndBelowProducerEpoch=producerEpoch v3AndBelowTopics=topics{name=topic partitions}',
  AddPartitionsToTxnResponse: `${THROTTLE} resultsByTopicV3AndBelow=errors{name=topic ` +
    'resultsByPartition=partitionErrors{partitionIndex=partition partitionErrorCode=errorCode}}',
  AlterConfigsRequest: 'resources{resourceType=type resourceName=name configs=configEntries{name value}} validateOnly',
  AlterConfigsResponse: `${THROTTLE} responses=resources{${RESULT} resourceType resourceName}`,
  AlterPartitionReassignmentsRequest: `${TIMEOUT} topics{name=topic ` +
    'partitions=partitionAssignment{partitionIndex=partition replicas}}',
  ApiVersionsRequest: '',
  ApiVersionsResponse: `errorCode apiKeys=apiVersions{apiKey minVersion maxVersion} ${THROTTLE}`,
  CreateAclsRequest: `creations{resourceType resourceName resourcePatternType ${ACL}}`,
  CreateAclsResponse: `${THROTTLE} results=creationResponses{${RESULT}}`,
  CreatePartitionsRequest: `topics=topicPartitions{name=topic count assignments?[brokerIds]} ${TIMEOUT} validateOnly`,
  CreatePartitionsResponse: `${THROTTLE} results=topicErrors{name=topic ${RESULT}}`,
  CreateTopicsRequest: 'topics{name=topic numPartitions replicationFactor assignments=replicaAssignment' +
    `{partitionIndex=partition brokerIds=replicas} configs=configEntries{name value}} ${TIMEOUT} validateOnly`,
  CreateTopicsResponse: `${THROTTLE} topics=topicErrors{name=topic ${RESULT}}`,
  DeleteAclsRequest: `filters{${FILTER}}`,
  DeleteAclsResponse: `${THROTTLE} filterResults=filterResponses{${RESULT} matchingAcls` +
    `{${RESULT} resourceType resourceName patternType=resourcePatternType ${ACL}}}`,
  DeleteGroupsRequest: 'groupsNames',
  DeleteGroupsResponse: `${THROTTLE} results{groupId errorCode}`,
  DeleteRecordsRequest: `topics{name=topic partitions{partitionIndex=partition offset}} ${TIMEOUT}`,
  DeleteRecordsResponse: `${THROTTLE} topics{name=topic partitions{partitionIndex=partition lowWatermark errorCode}}`,
  DeleteTopicsRequest: `topicNames=topics ${TIMEOUT}`,
  DeleteTopicsResponse: `${THROTTLE} responses=topicErrors{name=topic errorCode}`,
  DescribeAclsRequest: FILTER,
  DescribeAclsResponse: `${THROTTLE} ${RESULT} ` +
    `resources{resourceType resourceName patternType=resourcePatternType acls{${ACL}}}`,
  DescribeConfigsRequest: 'resources{resourceType=type resourceName=name configurationKeys?=configNames} includeSynonyms',
  DescribeConfigsResponse: `${THROTTLE} results=resources{${RESULT} resourceType resourceName configs=configEntries` +
    '{name=configName value=configValue readOnly isDefault@0-0 configSource@1-2 isSensitive ' +
    'synonyms=configSynonyms{name=configName value=configValue source=configSource}}}',
  DescribeGroupsRequest: 'groups=groupIds',
  DescribeGroupsResponse: `${THROTTLE} groups{errorCode groupId groupState=state protocolType protocolData=protocol ` +
    'members{memberId clientId clientHost memberMetadata! memberAssignment!}}',
  EndTxnRequest: `transactionalId ${PRODUCER} committed=transactionResult`,
  EndTxnResponse: `${THROTTLE} errorCode`,
  FetchRequest: 'replicaId maxWaitMs=maxWaitTime minBytes maxBytes isolationLevel sessionId sessionEpoch topics{topic ' +
    'partitions{partition currentLeaderEpoch fetchOffset logStartOffset partitionMaxBytes=maxBytes}} ' +
    'forgottenTopicsData=forgottenTopics{topic partitions} rackId',
  FindCoordinatorRequest: 'key@0-0=groupId key@1-2=coordinatorKey keyType=coordinatorType',
  FindCoordinatorResponse: `${THROTTLE} ${RESULT} nodeId=coordinator.nodeId host=coordinator.host port=coordinator.port`,
  HeartbeatRequest: 'groupId generationId=groupGenerationId memberId groupInstanceId',
  HeartbeatResponse: `${THROTTLE} errorCode`,
  InitProducerIdRequest: 'transactionalId transactionTimeoutMs=transactionTimeout',
  InitProducerIdResponse: `${THROTTLE} errorCode ${PRODUCER}`,
  JoinGroupRequest: 'groupId sessionTimeoutMs=sessionTimeout rebalanceTimeoutMs=rebalanceTimeout memberId ' +
    'groupInstanceId protocolType protocols=groupProtocols{name metadata!}',
  JoinGroupResponse: `${THROTTLE} errorCode generationId protocolName=groupProtocol leader=leaderId memberId ` +
    'members{memberId groupInstanceId metadata!=memberMetadata}',
  LeaveGroupRequest: 'groupId memberId members{memberId groupInstanceId}',
  LeaveGroupResponse: `${THROTTLE} errorCode members{memberId groupInstanceId errorCode}`,
  ListGroupsRequest: '',
  ListGroupsResponse: `${THROTTLE} errorCode groups{groupId protocolType}`,
  ListOffsetsRequest: 'replicaId isolationLevel topics{name=topic partitions{partitionIndex=partition timestamp maxNumOffsets}}',
  ListOffsetsResponse: `${THROTTLE} topics=responses{name=topic ` +
    'partitions{partitionIndex=partition errorCode timestamp offset oldStyleOffsets=offsets}}',
  ListPartitionReassignmentsRequest: `${TIMEOUT} topics{name=topic partitionIndexes=partitions}`,
  MetadataRequest: 'topics@0-0[name] topics?@1-6[name] allowAutoTopicCreation',
  MetadataResponse: `${THROTTLE} brokers{nodeId host port rack} clusterId controllerId topics=topicMetadata` +
    '{errorCode=topicErrorCode name=topic isInternal partitions=partitionMetadata{errorCode=partitionErrorCode ' +
    'partitionIndex=partitionId leaderId=leader replicaNodes=replicas isrNodes=isr offlineReplicas}}',
  OffsetCommitRequest: 'groupId generationIdOrMemberEpoch=groupGenerationId memberId retentionTimeMs=retentionTime ' +
    'topics{name=topic partitions{partitionIndex=partition committedOffset=offset commitTimestamp=timestamp ' +
    'committedMetadata=metadata}}',
  OffsetCommitResponse: `${THROTTLE} topics=responses{name=topic partitions{partitionIndex=partition errorCode}}`,
  OffsetFetchRequest: 'groupId topics@1-2{name=topic partitionIndexes=partitions<partition>} ' +
    'topics?@3-4{name=topic partitionIndexes=partitions<partition>}',
  OffsetFetchResponse: `${THROTTLE} topics=responses{name=topic partitions{partitionIndex=partition ` +
    'committedOffset=offset metadata errorCode}} errorCode',
  ProduceResponse: `${THROTTLE} responses=topics{name=topicName partitionResponses=partitions{index=partition errorCode ` +
    'baseOffset=baseOffset|offset logAppendTimeMs=logAppendTime|timestamp logStartOffset}}',
  SaslAuthenticateRequest: 'authBytes!',
  SaslAuthenticateResponse: `${RESULT} authBytes! sessionLifetimeMs`,
  SaslHandshakeRequest: 'mechanism',
  SaslHandshakeResponse: 'errorCode mechanisms=enabledMechanisms',
  SyncGroupRequest: 'groupId generationId memberId groupInstanceId assignments=groupAssignment' +
    '{memberId assignment!=memberAssignment}',
  SyncGroupResponse: `${THROTTLE} errorCode assignment!=memberAssignment`,
  TxnOffsetCommitRequest: `transactionalId groupId ${PRODUCER} topics{name=topic ` +
    'partitions{partitionIndex=partition committedOffset=offset committedMetadata=metadata}}',
  TxnOffsetCommitResponse: `${THROTTLE} topics{name=topic partitions{partitionIndex=partition errorCode}}`,
}
