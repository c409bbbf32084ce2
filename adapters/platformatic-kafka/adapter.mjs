// @platformatic/kafka: a createRequest and a parseResponse for each version of an API.
//
// A request is made from positional arguments, whose names are asked of the function itself; most
// are the definitions' own, and names.mjs holds the rest. An answer that carries an error code
// is thrown, with the answer on the error. Requests are only written and responses only read, without
// their headers, which the library's connection keeps to itself. Unknown tags are skipped.

import * as kafka from '@platformatic/kafka'
import { readFileSync } from 'node:fs'
import { ABSENT, BYTES, INT64, LEFT_OUT, MESSAGES, NAMES, SHAPES, UUIDS, grouped, ungrouped } from './names.mjs'
import * as primitives from './primitives.mjs'
import { left, readBatch, readField } from './records.mjs'
import { serve } from './serve.mjs'

const manifest = new URL('./node_modules/@platformatic/kafka/package.json', import.meta.url)
const { version: release } = JSON.parse(readFileSync(manifest, 'utf8'))

const absent = (message, version, key) => ABSENT[message]?.some(([last, name]) => version <= last && name === key)

// A value of the JSON form to the library's; `name` is the field's, which tells its type.
function toLibrary (value, name, names) {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => toLibrary(item, name, names))
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, x]) => [names[key] ?? key, toLibrary(x, key, names)]))
  }
  if (INT64.has(name)) return BigInt(value)
  if (BYTES.has(name)) return Buffer.from(value, 'base64')
  if (UUIDS.has(name)) return grouped(value)
  return names === NAMES.AlterClientQuotasRequest && name === 'value' ? Number(value) : value
}

function toJSON (value, name, names, message, version) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Object.is(value, -0)) return JSON.rawJSON('-0.0')
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' && UUIDS.has(name)) return ungrouped(value)
  if (value === null || typeof value !== 'object') return value
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (Array.isArray(value)) return value.map((item) => toJSON(item, name, names, message, version))
  const here = Object.entries(value).filter(([key]) => !absent(message, version, key))
  return Object.fromEntries(here.map(([key, x]) => [names[key] ?? key, toJSON(x, key, names, message, version)]))
}

const known = new Map() // message and version -> its module
const messages = { RecordBatch: { versions: [[2, 2]], ops: ['decode'] }, [primitives.MESSAGE]: primitives.offer }
if (kafka.fetchV17) messages.Records = messages.RecordBatch
for (const [key, api] of Object.entries(kafka)) {
  const [, name, version] = key.match(/^([a-z]\w*)V(\d+)$/) ?? []
  for (const kind of name === undefined ? [] : ['Request', 'Response']) {
    const apiName = name[0].toUpperCase() + name.slice(1)
    const message = (MESSAGES[apiName] ?? apiName) + kind
    const place = `${message} ${version}`
    const left = LEFT_OUT[message] ?? []
    if (left === 'all' || left.includes(Number(version)) || known.has(place)) continue
    if (typeof (kind === 'Request' ? api.createRequest : api.parseResponse) !== 'function') continue
    known.set(place, api)
    messages[message] ??= { versions: [], ops: [kind === 'Request' ? 'encode' : 'decode'] }
    messages[message].versions.push([Number(version), Number(version)])
  }
}

class Unsupported extends Error {} // what the library's arguments have no place for

const parameters = (make) => make.toString().match(/\(([^)]*)\)/)[1].split(',').map((p) => p.match(/[a-z]\w*/)?.[0]).filter(Boolean)

function reshaped (message, version, value) {
  const [last, reshape] = SHAPES[message] ?? [-1]
  return version <= last ? reshape(value) : value
}

function parsed ({ api, parseResponse }, version, reader) {
  try {
    return parseResponse(0, api.key, version, reader)
  } catch (error) {
    if (error.response === undefined) throw error
    return error.response
  }
}

const code = 'topicConfigErrorCode' // a tag that older releases leave unread
const unread = String(kafka.createTopicsV7?.parseResponse).includes(code) ? [] : [`topics.${code}`]
const unknownFields = { CreateTopicsResponse: unread }
serve({
  hello: { name: '@platformatic/kafka', version: release, messages, definitions: '4.3.1', unknownFields },
  encode ({ message, version, value }) {
    if (message === primitives.MESSAGE) return primitives.encode(version, value)
    const make = known.get(`${message} ${version}`).createRequest
    const named = toLibrary(value, '', NAMES[message] ?? {})
    const names = parameters(make)
    const lacking = (given) => given.args ? [] : Object.keys(given).filter((name) => !names.includes(name))
    const shapes = [reshaped(message, version, named), named] // older releases took some as they are
    const given = shapes.find((shape) => !lacking(shape).length)
    if (!given) throw new Unsupported(`there is no ${lacking(shapes[0])}`)
    return make(...names.map((name) => given[name])).buffer
  },
  decode ({ message, version, bytes }) {
    if (message === primitives.MESSAGE) return primitives.decode(version, bytes)
    if (message === 'Records') return { value: readField(kafka, bytes, Unsupported), remaining: null }
    const reader = kafka.Reader.from(bytes)
    if (message === 'RecordBatch') return { value: readBatch(reader), remaining: left(reader) }
    const value = parsed(known.get(`${message} ${version}`), version, reader)
    const told = toJSON(value, '', NAMES[message] ?? {}, message, version)
    return { value: reshaped(message, version, told), remaining: left(reader) }
  },
})
