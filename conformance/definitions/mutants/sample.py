"""Definitions that keep every rule, with something of all that definitions can say."""

from __future__ import annotations

_REQUEST = """\
// A request of our own making.
{
  "apiKey": 999,
  "type": "request",
  "listeners": ["broker"],
  "name": "SampleRequest",
  "validVersions": "0-3",
  "flexibleVersions": "2+",
  "headerVersions": { "0-1": "1", "2+": "2" },
  "latestVersionUnstable": true,
  "commonStructs": [
    { "name": "Point", "versions": "0+", "fields": [
      { "name": "Across", "type": "int32", "versions": "0+" },
      { "name": "Down", "type": "int32", "versions": "0+", "default": "-1" }
    ]}
  ],
  "fields": [
    { "name": "Topic", "type": "string", "versions": "0+", "entityType": "topicName",
      "nullableVersions": "1+", "ignorable": true },
    { "name": "Owner", "type": "string", "versions": "2+", "nullableVersions": "2+",
      "default": "null" },
    { "name": "Brokers", "type": "[]int32", "versions": "0+", "entityType": "brokerId" },
    { "name": "Places", "type": "[]Point", "versions": "0+" },
    { "name": "Rows", "type": "[]Row", "versions": "0+", "fields": [
      { "name": "Index", "type": "int16", "versions": "0+", "mapKey": true },
      { "name": "Batch", "type": "records", "versions": "0+", "nullableVersions": "0+" },
      { "name": "Data", "type": "bytes", "versions": "1+", "zeroCopy": true },
      { "name": "Label", "type": "string", "versions": "2+", "nullableVersions": "2+",
        "tag": 0, "taggedVersions": "2+", "default": "null" },
      { "name": "Size", "type": "int64", "versions": "2+",
        "tag": 1, "taggedVersions": "2+", "default": "0x10" }
    ]},
    { "name": "Epoch", "type": "int32", "versions": "3+", "tag": 0, "taggedVersions": "3+" },
    { "name": "Client", "type": "string", "versions": "0+", "flexibleVersions": "none" },
    { "name": "Share", "type": "float64", "versions": "0+", "default": "0.5" }
  ]
}
"""
_RESPONSE = """\
{
  "apiKey": 999,
  "type": "response",
  "name": "SampleResponse",
  "validVersions": "0-3",
  "flexibleVersions": "2+",
  "fields": [
    { "name": "ErrorCode", "type": "int16", "versions": "0+" }
  ]
}
"""
_API_VERSIONS_REQUEST = """\
{
  "apiKey": 18, "type": "request", "name": "ApiVersionsRequest",
  "validVersions": "0-3", "flexibleVersions": "3+", "fields": []
}
"""
_API_VERSIONS_RESPONSE = """\
{
  "apiKey": 18, "type": "response", "name": "ApiVersionsResponse",
  "validVersions": "0-3", "flexibleVersions": "3+",
  "headerVersions": { "0+": "0" }, /* by KIP-511 */
  "fields": [ { "name": "ErrorCode", "type": "int16", "versions": "0+" } ]
}
"""
_KEY = """\
{
  "apiKey": 3, "type": "coordinator-key", "name": "SampleKey",
  "validVersions": "0",
  "flexibleVersions": "none",
  "fields": [ { "name": "Group", "type": "string", "versions": "0" } ]
}
"""
RETIRED = """\
{
  "apiKey": 998, "type": "request", "name": "RetiredRequest", "validVersions": "none"
}
"""
_RETIRED_RESPONSE = """\
{
  "apiKey": 998, "type": "response", "name": "RetiredResponse", "validVersions": "none"
}
"""
SAMPLES = {
    "SampleRequest.json": _REQUEST,
    "SampleResponse.json": _RESPONSE,
    "ApiVersionsRequest.json": _API_VERSIONS_REQUEST,
    "ApiVersionsResponse.json": _API_VERSIONS_RESPONSE,
    "SampleKey.json": _KEY,
    "RetiredRequest.json": RETIRED,
    "RetiredResponse.json": _RETIRED_RESPONSE,
}
