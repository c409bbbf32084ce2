// kafkajs and batches of records, by its own encoder and decoder. Times and offsets of records are
// absolute strings where it reads, headers an object. What it reads has no attributes, only what
// follows from them; they are as it shows them to its table of compressions. It writes none but the
// compression and the transaction. Gzip is its own; zstd is plugged in, as applications have to.

const { zstdCompressSync, zstdDecompressSync } = require('node:zlib')
const compression = require('kafkajs/src/protocol/message/compression')

const seen = {}
for (const name of ['lookupCodecByAttributes', 'lookupCodecByRecordBatchAttributes']) { // the second up to 1.14
  const lookup = compression[name]
  if (!lookup) continue
  compression[name] = (attributes) => {
    seen.attributes ??= attributes
    return lookup(attributes)
  }
}
compression.Codecs[compression.Types.ZSTD] = () => ({
  compress: async (encoder) => zstdCompressSync(encoder.buffer),
  decompress: async (bytes) => unpacked(bytes),
})
function unpacked (bytes) { // frame by frame: Node.js reads one at a time
  const parts = []
  for (let at = 0; at < bytes.length;) {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), { info: true })
    parts.push(buffer)
    at += engine.bytesWritten
  }
  return Buffer.concat(parts)
}
const Decoder = require('kafkajs/src/protocol/decoder')
const Encoder = require('kafkajs/src/protocol/encoder')
const fetch = require('kafkajs/src/protocol/requests/fetch/v4/response')
const decode = require('kafkajs/src/protocol/recordBatch/v0/decoder')
const Record = require('kafkajs/src/protocol/recordBatch/record/v0')
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0')

const COMPRESSION = 7
const TRANSACTIONAL = 16
const COMMON = 15 // the bits that all formats have
const text = (bytes) => bytes === null ? null : bytes.toString('base64')
const data = (text) => text === null ? null : Buffer.from(text, 'base64')
const several = (values) => Array.isArray(values) ? values : [values]
const flat = (headers) => Object.entries(headers).flatMap(([key, values]) => several(values).map((value) => ({ key, value })))

exports.offers = {
  RecordBatch: { versions: [[2, 2]], ops: ['decode', 'encode'] },
  Records: { versions: [[0, 2]], ops: ['decode'] },
}
exports.compression = ['gzip', 'zstd']

// A field of records as its Fetch hands it out: of a topic without a name, in an answer of our making.
exports.readSet = async (bytes, version) => {
  seen.attributes = undefined
  const partition = new Encoder().writeInt32(0).writeInt16(0).writeInt64(0).writeInt64(0).writeArray([]).writeBytes(bytes)
  const answer = new Encoder().writeInt32(0).writeArray([new Encoder().writeString('').writeArray([partition])])
  const { responses: [{ partitions: [{ messages }] }] } = await fetch.decode(answer.buffer)
  const record = ({ offset, timestamp, key, value, headers }) => ({
    offset,
    ...version > 0 && { timestamp },
    key: text(key),
    value: text(value),
    ...version > 1 && { headers: flat(headers).map(({ key, value }) => ({ key, value: text(value) })) },
  })
  return { value: { attributes: seen.attributes & COMMON, records: messages.map(record) }, remaining: null }
}

exports.read = async (bytes) => {
  seen.attributes = undefined
  const decoder = new Decoder(bytes)
  const batch = await decode(decoder)
  const record = ({ attributes, timestamp, offset, key, value, headers }) => ({
    attributes,
    timestampDelta: String(BigInt(timestamp) - BigInt(batch.firstTimestamp)),
    offsetDelta: Number(BigInt(offset) - BigInt(batch.firstOffset)),
    key: text(key),
    value: text(value),
    headers: flat(headers).map(({ key, value }) => ({ key, value: text(value) })),
  })
  const value = {
    baseOffset: batch.firstOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    attributes: seen.attributes,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.firstTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.firstSequence,
    records: batch.records.map(record),
  }
  return { value, remaining: bytes.length - decoder.offset }
}

function headersOf (given, Unsupported) {
  const headers = {}
  for (const { key, value } of given) headers[key] = key in headers ? [].concat(headers[key], data(value)) : data(value)
  const held = flat(headers).map(({ key }) => key)
  if (given.some(({ key }, i) => key !== held[i])) throw new Unsupported('an object holds no headers in this order')
  return headers
}

exports.write = async (value, Unsupported) => {
  const { attributes } = value
  if (attributes & ~(COMPRESSION | TRANSACTIONAL)) throw new Unsupported(`no place for attributes ${attributes}`)
  const records = value.records.map(({ attributes, timestampDelta, offsetDelta, key, value, headers }) => {
    if (attributes) throw new Unsupported(`no place for a record's attributes ${attributes}`)
    const given = { timestampDelta, offsetDelta, value: data(value), headers: headersOf(headers, Unsupported) }
    return Record(key === null ? given : { ...given, key: data(key) }) // a message without a key has none
  })
  const batch = await RecordBatch({
    ...value,
    firstOffset: value.baseOffset,
    firstTimestamp: value.baseTimestamp,
    firstSequence: value.baseSequence,
    compression: attributes & COMPRESSION,
    transactional: (attributes & TRANSACTIONAL) > 0,
    records,
  })
  return batch.buffer
}
