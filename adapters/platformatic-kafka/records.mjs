// @platformatic/kafka and batches of records: what its consumer reads them with. Its builder takes
// messages, not a batch (offsets begin at 0, the last is the count), so writing is not declared.

import { readRecordsBatch } from '@platformatic/kafka'

const LOG_APPEND_TIME = 8
const COMMON = 15 // the bits that all formats have

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

// A field of records, as its Fetch hands them out: the batches of the only partition of an answer of
// our making. Its consumer adds up offsets and times, as is done here, and may take the broker's time.
export function readField ({ Reader, fetchV17 }, bytes, Unsupported) {
  const length = []
  for (let left = bytes.length + 1; ; left >>>= 7) {
    length.push(left > 127 ? left & 127 | 128 : left)
    if (left < 128) break
  }
  const head = [...Buffer.alloc(10), 2, ...Buffer.alloc(16), 2, ...Buffer.alloc(30), 1, ...Buffer.alloc(4), ...length]
  const answer = Buffer.concat([Buffer.from(head), bytes, Buffer.alloc(3)])
  const { responses: [{ partitions: [{ records: batches }] }] } = fetchV17.parseResponse(0, 1, 17, Reader.from(answer))
  if (batches[0].attributes & LOG_APPEND_TIME) throw new Unsupported('its consumer tells the times')
  const records = batches.flatMap(({ firstOffset, firstTimestamp, records }) => records.map((each) => {
    const { key, value, headers } = record(each)
    return { offset: String(firstOffset + BigInt(each.offsetDelta)), timestamp: String(firstTimestamp + each.timestampDelta), key, value, headers }
  }))
  return { attributes: batches[0].attributes & COMMON, records }
}

// How many bytes are unread; a length that was taken as it came may have led anywhere.
export function left ({ position, buffer: { length } }) {
  return position >= 0 && position <= length ? length - position : null
}
