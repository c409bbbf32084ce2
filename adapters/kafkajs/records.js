// kafkajs and batches of records. What it reads has no attributes, only what follows from them; they
// are as it shows them to its table of compressions. Times and offsets are absolute strings, headers
// an object. Its writer knows no attributes but compression and the transaction, so it is not offered.

const compression = require('kafkajs/src/protocol/message/compression')
const seen = {}
const { lookupCodecByAttributes } = compression
compression.lookupCodecByAttributes = (attributes) => {
  seen.attributes = attributes
  return lookupCodecByAttributes(attributes)
}
const Decoder = require('kafkajs/src/protocol/decoder')
const decode = require('kafkajs/src/protocol/recordBatch/v0/decoder')

const text = (bytes) => bytes === null ? null : bytes.toString('base64')
const several = (values) => Array.isArray(values) ? values : [values]

exports.offers = { versions: [[2, 2]], ops: ['decode'] }

exports.read = async (data) => {
  const decoder = new Decoder(data)
  const batch = await decode(decoder)
  const record = ({ attributes, timestamp, offset, key, value, headers }) => ({
    attributes,
    timestampDelta: String(BigInt(timestamp) - BigInt(batch.firstTimestamp)),
    offsetDelta: Number(BigInt(offset) - BigInt(batch.firstOffset)),
    key: text(key),
    value: text(value),
    headers: Object.entries(headers).flatMap(([key, values]) =>
      several(values).map((value) => ({ key, value: text(value) }))),
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
  return { value, remaining: data.length - decoder.offset }
}
