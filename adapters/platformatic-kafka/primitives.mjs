// @platformatic/kafka's Reader and Writer, type by type. Its writers take null for strings, bytes and
// arrays, so these are asked as those that may be null. Unknown tagged fields are skipped.

import { Reader, Writer } from '@platformatic/kafka'
import { grouped, ungrouped } from './names.mjs'
import { left } from './records.mjs'

const itself = (value) => value
const orNull = (convert) => (value) => value === null ? null : convert(value)
const double = (value) => Object.is(value, -0) ? JSON.rawJSON('-0.0') : Number.isFinite(value) ? value : String(value)
const BYTES = [orNull((value) => value.toString('base64')), orNull((text) => Buffer.from(text, 'base64'))]
const array = (name, compact) => [
  name,
  (reader) => reader.readNullableArray((r) => r.readInt32(), compact, false),
  (writer, items) => writer.appendArray(items, (w, item) => w.appendInt32(item), compact, false),
]

const TYPES = { // by version: the field's name, how it is read and written; and to JSON, from JSON
  0: ['boolean', (r) => r.readBoolean(), (w, x) => w.appendBoolean(x)],
  1: ['int8', (r) => r.readInt8(), (w, x) => w.appendInt8(x)],
  2: ['int16', (r) => r.readInt16(), (w, x) => w.appendInt16(x)],
  3: ['int32', (r) => r.readInt32(), (w, x) => w.appendInt32(x)],
  4: ['int64', (r) => r.readInt64(), (w, x) => w.appendInt64(x), String, BigInt],
  5: ['uint16', (r) => r.readUnsignedInt16(), (w, x) => w.appendUnsignedInt16(x)],
  6: ['uint32', (r) => r.readUnsignedInt32(), (w, x) => w.appendUnsignedInt32(x)],
  7: ['float64', (r) => r.readFloat64(), (w, x) => w.appendFloat64(x), double, Number],
  8: ['uuid', (r) => r.readUUID(), (w, x) => w.appendUUID(x), ungrouped, grouped],
  10: ['nullableString', (r) => r.readNullableString(false), (w, x) => w.appendString(x, false)],
  12: ['compactNullableString', (r) => r.readNullableString(), (w, x) => w.appendString(x)],
  14: ['nullableBytes', (r) => r.readNullableBytes(false), (w, x) => w.appendBytes(x, false), ...BYTES],
  16: ['compactNullableBytes', (r) => r.readNullableBytes(), (w, x) => w.appendBytes(x), ...BYTES],
  18: array('nullableArray', false),
  20: array('compactNullableArray', true),
  23: ['varint', (r) => r.readVarInt(), (w, x) => w.appendVarInt(x)],
  24: ['varlong', (r) => r.readVarInt64(), (w, x) => w.appendVarInt64(x), String, BigInt],
  25: ['unsignedVarint', (r) => r.readUnsignedVarInt(), (w, x) => w.appendUnsignedVarInt(x)],
  26: ['tagSection', (r) => r.readTaggedFields(), (w) => w.appendTaggedFields()],
}

const versions = Object.keys(TYPES).map(Number)
export const MESSAGE = 'Primitives'
export const offer = { versions: versions.map((version) => [version, version]), ops: ['decode', 'encode'] }

export function decode (version, bytes) {
  const [name, read, , show = itself] = TYPES[version]
  const reader = Reader.from(bytes)
  const item = read(reader)
  return { value: item === undefined ? {} : { [name]: show(item) }, remaining: left(reader) }
}

export function encode (version, value) {
  const [name, , write, , take = itself] = TYPES[version]
  return write(Writer.create(), take(value[name])).buffer
}
