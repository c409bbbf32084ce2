package main

import "strings"

// words are letters that the definitions write as words.
var words = strings.NewReplacer("IDs", "Ids", "ID", "Id", "MS", "Ms", "ACL", "Acl")

// renamed has the names that Kafka's definitions give to fields which are called otherwise here.
var renamed = map[string]string{
	"addpartitionstotxn.Request.transactionalId":     "v3AndBelowTransactionalId",
	"addpartitionstotxn.Request.producerId":          "v3AndBelowProducerId",
	"addpartitionstotxn.Request.producerEpoch":       "v3AndBelowProducerEpoch",
	"addpartitionstotxn.Request.topics":              "v3AndBelowTopics",
	"addpartitionstotxn.Response.results":            "resultsByTopicV3AndBelow",
	"addpartitionstotxn.ResponseResult.results":      "resultsByPartition",
	"addpartitionstotxn.ResponsePartition.errorCode": "partitionErrorCode",

	"alterclientquotas.Entry.entities":                   "entity",
	"alterclientquotas.Response.results":                 "entries",
	"alterclientquotas.ResponseQuotas.entities":          "entity",
	"alterpartitionreassignments.Response.results":       "responses",
	"deleteacls.RequestFilter.resourcePatternTypeFilter": "patternTypeFilter",
	"deleteacls.MatchingACL.resourcePatternType":         "patternType",
	"deletegroups.Request.groupIds":                      "groupsNames",
	"deletegroups.Response.responses":                    "results",
	"describeacls.Request.filter":                        "",
	"describeacls.ACLFilter.resourcePatternTypeFilter":   "patternTypeFilter",
	"describeclientquotas.ResponseQuotas.entities":       "entity",

	"describeconfigs.RequestResource.configNames":             "configurationKeys",
	"describeconfigs.Response.resources":                      "results",
	"describeconfigs.ResponseResource.configEntries":          "configs",
	"describeconfigs.ResponseConfigEntry.configName":          "name",
	"describeconfigs.ResponseConfigEntry.configValue":         "value",
	"describeconfigs.ResponseConfigEntry.configSynonyms":      "synonyms",
	"describeconfigs.ResponseConfigEntry.configDocumentation": "documentation",
	"describeconfigs.ResponseConfigSynonym.configName":        "name",
	"describeconfigs.ResponseConfigSynonym.configValue":       "value",
	"describeconfigs.ResponseConfigSynonym.configSource":      "source",

	"electleaders.RequestTopicPartitions.partitionIds":            "partitions",
	"electleaders.Response.throttleTime":                          "throttleTimeMs",
	"electleaders.ResponseReplicaElectionResult.partitionResults": "partitionResult",

	"fetch.Request.maxWaitTime":                         "maxWaitMs",
	"fetch.Request.forgottenTopics":                     "forgottenTopicsData",
	"joingroup.Response.leaderId":                       "leader",
	"listoffsets.RequestTopic.topic":                    "name",
	"listoffsets.RequestPartition.partition":            "partitionIndex",
	"listoffsets.ResponseTopic.topic":                   "name",
	"listoffsets.ResponsePartition.partition":           "partitionIndex",
	"metadata.Request.topicNames":                       "topics/name",
	"offsetcommit.Request.generationId":                 "generationIdOrMemberEpoch",
	"offsetfetch.ResponsePartition.comittedLeaderEpoch": "committedLeaderEpoch",
	"produce.Response.topics":                           "responses",
	"produce.ResponseTopic.topic":                       "name",
	"produce.ResponseTopic.partitions":                  "partitionResponses",
	"produce.ResponsePartition.partition":               "index",
	"produce.ResponsePartition.logAppendTime":           "logAppendTimeMs",
	"syncgroup.Response.assignments":                    "assignment",
	"txnoffsetcommit.RequestPartition.partition":        "partitionIndex",
	"txnoffsetcommit.ResponsePartition.partition":       "partitionIndex",
}
