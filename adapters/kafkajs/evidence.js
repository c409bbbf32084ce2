// What kafkajs gets wrong, by its own functions alone: one line of JSON for each rule.

const REQUESTS = 'kafkajs/src/protocol/requests'
const Decoder = require('kafkajs/src/protocol/decoder')
const Encoder = require('kafkajs/src/protocol/encoder')
const readFetch = require(`${REQUESTS}/fetch/v4/response`)
const readBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder')

const NULL_TOPICS = { groupId: 'groupId-471', topics: null }
const SENT = [ // rules, module, message, version, argument, the same as a value, what still comes of it
  [['primitives.null-not-written'], 'findCoordinator/v0', 'FindCoordinatorRequest', 0, { groupId: null }, { key: null }, 'ffff'],
  [['primitives.empty-array-not-null'], 'metadata/v2', 'MetadataRequest', 2, { topics: [] }, { topics: [] }, 'ffffffff'],
  [['primitives.boolean-one-or-zero'], 'metadata/v5', 'MetadataRequest', 5, { topics: [], allowAutoTopicCreation: true },
    { topics: [], allowAutoTopicCreation: true }, 'ffffffff01'],
  [['versions.field-types'], 'offsetFetch/v4', 'OffsetFetchRequest', 4, { groupId: '', topics: [] },
    { groupId: '', topics: [] }, '0000ffffffff'],
  [['primitives.null-array', 'versions.nullable-from-version'], 'offsetFetch/v2', 'OffsetFetchRequest', 2,
    NULL_TOPICS, NULL_TOPICS, "TypeError: Cannot read properties of null (reading 'map')"],
]

const TWO = '000075ab0000000200086e616d652d3934370003000f6572726f724d6573736167652d3434' +
  '00086e616d652d3930350003000f6572726f724d6573736167652d3935'
const byName = (got) => got.topicErrors[0].topic === 'name-905'
const READ = [ // rules, module, message, version, bytes, whether it still happens
  [['primitives.array-count-int32'], 'createPartitions/v0', 'CreatePartitionsResponse', 0, TWO, byName],
  [['compact.first-flexible-version'], 'createPartitions/v1', 'CreatePartitionsResponse', 1, TWO, byName],
  [['primitives.boolean-non-zero-true'], 'describeConfigs/v0', 'DescribeConfigsResponse', 0,
    '000075ab000000010003000f6572726f724d6573736167652d34342d000f7265736f757263654e616d652d3131' +
    '0000000100086e616d652d363837000976616c75652d343432020101',
    (got) => got.resources[0].configEntries[0].readOnly === false],
]

const HEAD = '0000018bcfe568000000018bcfe56be8ffffffffffffffffffffffffffff00000002'
const HEADERS = '000000000000000000000052ffffffff026a2e76370000000000000000018bcfe568000000018bcfe56800' +
  'ffffffffffffffffffffffffffff0000000140000000066b65790a76616c75650a026202310261023202620233026201026300'
const BATCHES = [ // rules, bytes, whether what was read or thrown is still wrong
  [['records.empty-not-null', 'records.header-value-nullable', 'records.headers-in-order'], HEADERS,
    (got) => Object.keys(got.headers).join() === 'b,a,c'], // they came as b, a, b, b, c
]

const LOG_APPEND_TIME = '00000000000000010000005c39d9999201090000018bcfe56be8ffffffff000000461f8b080000000000000363' +
  '60800305efa75bf41939181818bbcf3fcd00893067a7560229f6b2c49cd2540503a83a4690daecf269b3606ab35f60a8350400cce5c07458000000'
const SETS = [ // rules, version, bytes, whether what was read is still wrong
  [['message-sets.log-append-time'], 1, LOG_APPEND_TIME, (got) => got[0].timestamp === '1700000000000'],
]

const attempt = async (call) => {
  try {
    return await call()
  } catch (error) {
    return `${error.name}: ${error.message}`
  }
}
const words = (got) => typeof got === 'string' ? got : JSON.stringify(got, (_, x) => typeof x === 'bigint' ? String(x) : x)

let gone = 0
function tell (rules, still, told) {
  for (const rule of rules) {
    if (still) console.log(JSON.stringify({ rule, ...told }))
    else console.error(`${rule}: no more (${gone += 1})`)
  }
}

async function main () {
  for (const [rules, path, message, version, given, value, due] of SENT) {
    const make = require(`${REQUESTS}/${path}/request`)
    const got = await attempt(async () => (await make(given).encode()).buffer.toString('hex'))
    const call = `${path}/request(${JSON.stringify(given)}).encode()`
    tell(rules, got === due, { call, op: 'encode', message, version, value, got })
  }
  for (const [rules, path, message, version, bytes, still] of READ) {
    const got = await require(`${REQUESTS}/${path}/response`).decode(Buffer.from(bytes, 'hex'))
    const call = `${path}/response.decode(bytes)`
    tell(rules, still(got), { call, op: 'decode', message, version, bytes, got: words(got) })
  }
  for (const [rules, bytes, still] of BATCHES) {
    const read = async () => (await readBatch(new Decoder(Buffer.from(bytes, 'hex')))).records[0]
    const got = await attempt(read)
    const shown = words(typeof got === 'string' ? got : { headers: got.headers })
    const call = 'recordBatch/v0/decoder(new Decoder(bytes))'
    tell(rules, still(got), { call, op: 'decode', message: 'RecordBatch', version: 2, bytes, got: shown })
  }
  for (const [rules, version, bytes, still] of SETS) {
    const partition = new Encoder().writeInt32(0).writeInt16(0).writeInt64(0).writeInt64(0).writeArray([])
      .writeBytes(Buffer.from(bytes, 'hex'))
    const answer = new Encoder().writeInt32(0).writeArray([new Encoder().writeString('').writeArray([partition])])
    const { responses: [{ partitions: [{ messages }] }] } = await readFetch.decode(answer.buffer)
    const got = messages.map(({ offset, timestamp }) => ({ offset, timestamp }))
    const call = 'fetch/v4/response.decode(an answer with these bytes)'
    tell(rules, still(got), { call, op: 'decode', message: 'Records', version, bytes, got: words(got) })
  }
  process.exitCode = gone ? 1 : 0
}

main()
