// kafkajs's encoder and decoder, type by type; older releases have fewer. Its strings, bytes and
// compact arrays are all nullable, so they are asked as those that may be null. Its nullable arrays
// are left out, as it writes an empty one for null.

const Decoder = require('kafkajs/src/protocol/decoder')
const Encoder = require('kafkajs/src/protocol/encoder')

const itself = (value) => value
const orNull = (convert) => (value) => value === null ? null : convert(value)
const double = (value) => Object.is(value, -0) ? JSON.rawJSON('-0.0') : Number.isFinite(value) ? value : String(value)
const BYTES = [orNull((value) => value.toString('base64')), orNull((text) => Buffer.from(text, 'base64'))]
const int32 = (decoder) => decoder.readInt32()
const encoded = (item) => new Encoder().writeInt32(item)

const TYPES = { // by version: the field's name and the library's; to JSON, from JSON; what its reader takes
  0: ['boolean', 'Boolean'],
  1: ['int8', 'Int8'],
  2: ['int16', 'Int16'],
  3: ['int32', 'Int32'],
  4: ['int64', 'Int64', String],
  7: ['float64', 'Double', double, Number],
  10: ['nullableString', 'String'],
  12: ['compactNullableString', 'UVarIntString'],
  14: ['nullableBytes', 'Bytes', ...BYTES],
  16: ['compactNullableBytes', 'UVarIntBytes', ...BYTES],
  17: ['array', 'Array', itself, itself, int32],
  20: ['compactNullableArray', 'UVarIntArray', itself, orNull((items) => items.map(encoded)), int32],
  23: ['varint', 'VarInt'],
  24: ['varlong', 'VarLong', String],
  25: ['unsignedVarint', 'UVarInt'],
}
const has = (name) => Decoder.prototype[`read${name}`] && Encoder.prototype[`write${name}`]
const versions = Object.keys(TYPES).map(Number).filter((version) => has(TYPES[version][1]))

exports.offers = { Primitives: { versions: versions.map((version) => [version, version]), ops: ['decode', 'encode'] } }

exports.read = (bytes, version) => {
  const [name, own, show = itself, , ...given] = TYPES[version]
  const decoder = new Decoder(bytes)
  const value = { [name]: show(decoder[`read${own}`](...given)) }
  return { value, remaining: decoder.offset < 0 ? null : bytes.length - decoder.offset } // a length below -1 leads back
}

exports.write = (value, version) => {
  const [name, own, , take = itself] = TYPES[version]
  return new Encoder()[`write${own}`](take(value[name])).buffer
}
