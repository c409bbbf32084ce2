package main

import (
	"maps"
	"strings"
)

// keys are the names of the APIs, each at its key.
var keys = strings.Fields(`Produce Fetch ListOffsets Metadata LeaderAndIsr StopReplica UpdateMetadata
ControlledShutdown OffsetCommit OffsetFetch FindCoordinator JoinGroup Heartbeat LeaveGroup SyncGroup
DescribeGroups ListGroups SaslHandshake ApiVersions CreateTopics DeleteTopics DeleteRecords
InitProducerId OffsetForLeaderEpoch AddPartitionsToTxn AddOffsetsToTxn EndTxn WriteTxnMarkers
TxnOffsetCommit DescribeAcls CreateAcls DeleteAcls DescribeConfigs AlterConfigs AlterReplicaLogDirs
DescribeLogDirs SaslAuthenticate CreatePartitions CreateDelegationToken RenewDelegationToken
ExpireDelegationToken DescribeDelegationToken DeleteGroups ElectLeaders IncrementalAlterConfigs
AlterPartitionReassignments ListPartitionReassignments OffsetDelete DescribeClientQuotas
AlterClientQuotas DescribeUserScramCredentials AlterUserScramCredentials Vote BeginQuorumEpoch
EndQuorumEpoch DescribeQuorum AlterPartition UpdateFeatures Envelope FetchSnapshot DescribeCluster
DescribeProducers BrokerRegistration BrokerHeartbeat UnregisterBroker DescribeTransactions
ListTransactions AllocateProducerIds ConsumerGroupHeartbeat ConsumerGroupDescribe`)

// words are letters that the definitions write as words.
var words = strings.NewReplacer("IDs", "Ids", "ID", "Id")

func init() { maps.Copy(renamed, inMaps) }

// renamed has the names that the definitions give to fields of any struct, or of one.
var renamed = map[string]string{
	"Version":      "-",
	"Err":          "errorCode",
	"ErrMsg":       "errorMessage",
	"ErrorMsg":     "errorMessage",
	"ThrottleTime": "throttleTimeMs",
	"Timeout":      "timeoutMs",

	"AclCreation.Resource":                "",
	"AclCreation.Acl":                     "",
	"AclFilter.Host":                      "hostFilter",
	"AclFilter.Principal":                 "principalFilter",
	"AclFilter.ResourceName":              "resourceNameFilter",
	"AclFilter.ResourcePatternTypeFilter": "patternTypeFilter@1-9",
	"AclFilter.ResourceType":              "resourceTypeFilter",
	"AlterConfigsResponse.Resources":      "responses",
	"AlterConfigsResourceResponse.Name":   "resourceName",
	"AlterConfigsResourceResponse.Type":   "resourceType",

	"ApiVersionsResponse.FinalizedFeatures":              "finalizedFeatures@3-9",
	"ApiVersionsResponse.FinalizedFeaturesEpoch":         "finalizedFeaturesEpoch@3-9",
	"ApiVersionsResponse.SupportedFeatures":              "supportedFeatures@3-9",
	"ConfigResource.ConfigNames":                         "configurationKeys?",
	"ConfigResource.Name":                                "resourceName",
	"ConfigResource.Type":                                "resourceType",
	"ConfigEntry.Default":                                "isDefault@0-0",
	"ConfigEntry.Sensitive":                              "isSensitive",
	"ConfigEntry.Source":                                 "configSource@1-9",
	"ConfigEntry.Type":                                   "configType@3-9",
	"ConfigSynonym.ConfigName":                           "name",
	"ConfigSynonym.ConfigValue":                          "value",
	"CreateAclsRequest.AclCreations":                     "creations",
	"CreateAclsResponse.AclCreationResponses":            "results",
	"DeleteAclsResponse.FilterResponses":                 "filterResults",
	"DeleteGroupsRequest.Groups":                         "groupsNames",
	"DeleteTopicsRequest.Topics":                         "topicNames",
	"DescribeAclsRequest.AclFilter":                      "",
	"DescribeAclsResponse.ResourceAcls":                  "resources",
	"DescribeConfigsResponse.Resources":                  "results",
	"DescribeLogDirsRequest.DescribeTopics":              "topics?",
	"DescribeLogDirsResponse.LogDirs":                    "results",
	"DescribeUserScramCredentialsRequest.DescribeUsers":  "users",
	"EndTxnRequest.TransactionResult":                    "committed",
	"FindCoordinatorRequest.CoordinatorKey":              "key",
	"FindCoordinatorRequest.CoordinatorType":             "keyType@1-9",
	"FindCoordinatorResponse.Coordinator":                "",
	"IncrementalAlterConfigsResponse.Resources":          "responses",
	"InitProducerIDRequest.TransactionTimeout":           "transactionTimeoutMs",
	"JoinGroupRequest.GroupProtocols":                    "-",
	"JoinGroupRequest.OrderedGroupProtocols":             "protocols",
	"JoinGroupRequest.RebalanceTimeout":                  "rebalanceTimeoutMs@1-9",
	"JoinGroupRequest.SessionTimeout":                    "sessionTimeoutMs",
	"JoinGroupResponse.GroupProtocol":                    "protocolName",
	"JoinGroupResponse.LeaderId":                         "leader",
	"LeaveGroupRequest.MemberId":                         "memberId@0-2",
	"MatchingAcl.Resource":                               "",
	"MatchingAcl.Acl":                                    "",
	"MetadataRequest.AllowAutoTopicCreation":             "allowAutoTopicCreation@4-99",
	"MetadataRequest.IncludeClusterAuthorizedOperations": "includeClusterAuthorizedOperations@8-10",
	"ConfigEntry.Documentation":                          "documentation@3-9",
	"ConsumerGroupMemberDescription.MemberType":          "memberType@1-9",
	"DescribeClusterBroker.IsFenced":                     "isFenced@2-9",
	"DescribeClusterRequest.IncludeFencedBrokers":        "includeFencedBrokers@2-9",
	"FindCoordinatorResponse.ErrMsg":                     "errorMessage@1-9",
	"InitProducerIDRequest.ProducerEpoch":                "producerEpoch@3-9",
	"InitProducerIDRequest.ProducerID":                   "producerId@3-9",
	"MetadataResponse.ControllerID":                      "controllerId@1-99",
	"DescribeClusterRequest.EndpointType":                "endpointType@1-9",
	"DescribeClusterResponse.EndpointType":               "endpointType@1-9",
	"FindCoordinatorResponse.rack":                       "-",
	"MatchingAcl.resourcePatternType":                    "patternType",
	"ResourceAcls.resourcePatternType":                   "patternType",
	"MetadataRequest.Topics":                             "topics/name@0-0|topics/name?@1-99",
	"MetadataResponse.ClusterAuthorizedOperations":       "clusterAuthorizedOperations@8-10",
	"PartitionMetadata.ID":                               "partitionIndex",
	"PartitionMetadata.Isr":                              "isrNodes",
	"PartitionMetadata.Leader":                           "leaderId",
	"PartitionMetadata.LeaderEpoch":                      "leaderEpoch@7-99",
	"PartitionMetadata.Replicas":                         "replicaNodes",
	"Resource.ResourcePatternType":                       "resourcePatternType@1-9",
	"ResourceAcls.Resource":                              "",
	"ResourceResponse.Name":                              "resourceName",
	"ResourceResponse.Type":                              "resourceType",
	"SaslAuthenticateRequest.SaslAuthBytes":              "authBytes",
	"SaslAuthenticateResponse.SaslAuthBytes":             "authBytes",
	"SaslAuthenticateResponse.SessionLifetimeMs":         "sessionLifetimeMs@1-9",
	"SaslHandshakeResponse.EnabledMechanisms":            "mechanisms",
	"SyncGroupRequest.GroupAssignments":                  "assignments",
	"SyncGroupResponse.MemberAssignment":                 "assignment",
	"TopicMetadata.TopicAuthorizedOperations":            "topicAuthorizedOperations@8-99",
	"TransactionState.TransactionStartTime":              "transactionStartTimeMs",
	"TransactionState.TransactionTimeout":                "transactionTimeoutMs",
	"DescribeLogDirsRequestTopic.PartitionIDs":           "partitions",
	"DescribeLogDirsResponseDirMetadata.Path":            "logDir",
	"DescribeLogDirsResponseDirMetadata.TotalBytes":      "totalBytes@4-9",
	"DescribeLogDirsResponseDirMetadata.UsableBytes":     "usableBytes@4-9",
	"DescribeLogDirsResponseTopic.Topic":                 "name",
	"DescribeLogDirsResponsePartition.IsTemporary":       "isFutureKey",
	"DescribeLogDirsResponsePartition.PartitionID":       "partitionIndex",
	"DescribeLogDirsResponsePartition.Size":              "partitionSize",
	"TopicMetadata.Uuid":                                 "topicId@10-99",
}
