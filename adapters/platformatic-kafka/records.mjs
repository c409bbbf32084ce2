// @platformatic/kafka and batches of records: what its consumer reads them with. Its builder takes
// messages, not a batch (offsets begin at 0, the last is the count), so writing is not declared.

import { readRecordsBatch } from '@platformatic/kafka'

const text = (bytes) => bytes === null ? null : bytes.toString('base64')

const record = ({ attributes, timestampDelta, offsetDelta, key, value, headers }) => ({
  attributes,
  timestampDelta: String(timestampDelta),
  offsetDelta,
  key: text(key),
  value: text(value),
  headers: headers.map(([key, value]) => ({ key: key === null ? null : key.toString(), value: text(value) })),
})

export function readBatch (reader) {
  const batch = readRecordsBatch(reader)
  return {
    baseOffset: String(batch.firstOffset),
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    attributes: batch.attributes,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: String(batch.firstTimestamp),
    maxTimestamp: String(batch.maxTimestamp),
    producerId: String(batch.producerId),
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.firstSequence,
    records: batch.records.map(record),
  }
}

// How many bytes are unread; a length that was taken as it came may have led anywhere.
export function left ({ position, buffer: { length } }) {
  return position >= 0 && position <= length ? length - position : null
}
