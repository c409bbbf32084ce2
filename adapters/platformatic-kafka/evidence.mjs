// What @platformatic/kafka gets wrong, by its own functions alone: one line of JSON for each rule.

import * as kafka from '@platformatic/kafka'

const tellable = (_, x) => typeof x === 'bigint' ? String(x) : x

function parse (name, version, hex) { // as the connection does, whose caller gets the error and its answer
  const { api, parseResponse } = kafka[name]
  const reader = kafka.Reader.from(Buffer.from(hex, 'hex'))
  try {
    return [parseResponse(0, api.key, version, reader), reader.remaining]
  } catch (error) {
    if (error.response === undefined) throw error
    return [error.response, reader.remaining]
  }
}

const RESPONSES = [ // rules, module, message, version, bytes, whether it still happens
  [['compact.first-flexible-version', 'primitives.integers-signed', 'versions.field-types'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    'ffff0280008000800000000075ab00', (got) => got.throttleTimeMs === 0],
  [['tags.section-ends-struct', 'tags.section-layout', 'tags.size-is-plain-length', 'tags.values-compact'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003022c272414231c00000075ab01020f02096e616d652d33313327be302200', (got) => got.finalizedFeatures === undefined],
  [['primitives.varint-groups', 'tags.unknown-skipped'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003022c272414231c00000075ab01904e053c718abafa', (got) => got.throttleTimeMs === 0],
  [['tags.explicit-default-read'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003022c272414231c00000075ab01000101', (got) => got.throttleTimeMs === 0],
  [['tags.unknown-empty-value'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003022c272414231c00000075ab01904e00', (got) => got.throttleTimeMs === 0],
  [['tags.unknown-skipped-in-element'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003032c272414231c01904e054bacefa5e23eb72fea35b600000075ab00', (got) => got.apiKeys.length === 0],
  [['tags.unknown-high-tag'], 'apiVersionsV3', 'ApiVersionsResponse', 3,
    '0003022c272414231c00000075ab05ff7f0599416e350a80800105df97fb3f33808080010557a12b08d58080808001058e8edba65efeffffff07054345051cfa',
    (got) => got.throttleTimeMs === 0],
  [['tags.absent-reads-default'], 'createTopicsV6', 'CreateTopicsResponse', 6,
    '000075ab03096e616d652d3638300003116572726f724d6573736167652d3830383c8a56562f9703096e616d652d3337370a76616c75652d3733320121' +
    '0100096e616d652d3639370a76616c75652d373139013d01000100020003096e616d652d3939380003116572726f724d6573736167652d323632310a62' +
    '8e2b2803096e616d652d3337360a76616c75652d32363901360100096e616d652d3837330a76616c75652d383631012901000000',
    (got) => got.topics[0].topicConfigErrorCode === undefined],
  [['primitives.boolean-non-zero-true'], 'describeLogDirsV2', 'DescribeLogDirsResponse', 2,
    '000075ab0200030b6c6f674469722d33313302096e616d652d3239340236515b0234d20127370733bc3ef4fcc75428caca0200000000',
    (got) => got.results[0].topics[0].partitions[0].isFutureKey === false],
]

const REQUESTS = [ // rules, module, message, version, arguments, the same as a value, bytes that are still written
  [['primitives.null-not-written'], 'createAclsV1', 'CreateAclsRequest', 1, [null], { creations: null }, 'ffffffff'],
  [['compact.null-not-written'], 'createAclsV3', 'CreateAclsRequest', 3, [null], { creations: null }, '0000'],
]

const BATCH = '000000000000000000000050ffffffff02574ae04800007fffffff0000018bcfe568000000018bcfe56800' +
  'ffffffffffffffffffffffffffff000000013c0000feffffff0f066b65790a76616c7565020c6865616465720874657874'

let gone = 0
function tell (rules, still, told) {
  for (const rule of rules) {
    if (still) console.log(JSON.stringify({ rule, ...told }, tellable))
    else console.error(`${rule}: no more (${gone += 1})`)
  }
}

for (const [rules, name, message, version, bytes, still] of RESPONSES) {
  const [got, remaining] = parse(name, version, bytes)
  const call = `${name}.parseResponse(…)`
  tell(rules, still(got), { call, op: 'decode', message, version, bytes, got: JSON.stringify({ ...got, remaining }, tellable) })
}
for (const [rules, name, message, version, given, value, written] of REQUESTS) {
  const got = kafka[name].createRequest(...given).buffer.toString('hex')
  const call = `${name}.createRequest(${given.map((x) => JSON.stringify(x)).join(', ')})`
  tell(rules, got === written, { call, op: 'encode', message, version, value, got })
}
const { offsetDelta } = kafka.readRecordsBatch(kafka.Reader.from(Buffer.from(BATCH, 'hex'))).records[0]
tell(['records.offset-delta-varint', 'records.varint-zigzag'], offsetDelta === -1, {
  call: 'readRecordsBatch(reader)', op: 'decode', message: 'RecordBatch', version: 2, bytes: BATCH, got: `offsetDelta ${offsetDelta}`,
})
const varlong = kafka.Writer.create().appendVarInt64(2147483648n).buffer.toString('hex')
tell(['framing.nothing-after-end', 'records.varlong-zigzag'], varlong === '01', {
  call: 'Writer.create().appendVarInt64(2147483648n)', op: 'encode', message: 'Primitives', version: 24, value: { varlong: 2147483648 }, got: varlong,
})
process.exitCode = gone ? 1 : 0
