// kafkajs: requests are only written and responses only read, one module for each version of an API.
//
// The modules are not part of its public API, so they are reached by their paths. How the names of
// kafkajs map to Kafka's stands in names.js. The two flexible APIs write the header's tags as if they
// were the body's, so of those only whole frames are offered. A decoder does not say where it ended.

const { readdirSync } = require('node:fs')
const names = require('./names'), primitives = require('./primitives'), records = require('./records')

const KAFKAJS = 'kafkajs/src', REQUESTS = `${KAFKAJS}/protocol/requests`
const Encoder = require(`${KAFKAJS}/protocol/encoder`)
const createFrame = require(`${KAFKAJS}/protocol/request`)
const { processData } = require(`${KAFKAJS}/network/connection`).prototype
const { version: release } = require('kafkajs/package.json')

const FIELD = /(\w+)(!?)(\??)(?:@(\d)-(\d))?(?:=([\w.|]+))?(?:<(\w+)>|\[(\w+)\]|(\{))?|\}/g

function parse (text) {
  const open = [[]]
  for (const [all, name, bytes, nullable, low = 0, high = 99, theirs = name, wrapped, bare, struct] of text.matchAll(FIELD)) {
    if (all === '}') open.pop()
    else {
      const field = { name, bytes, nullable, low, high, wrapped, bare, theirs: theirs.split('|') }
      open.at(-1).push(field)
      if (struct) open.push(field.fields = [])
    }
  }
  return open[0]
}
const MESSAGES = Object.fromEntries(Object.entries(names).map(([message, text]) => [message, parse(text)]))
const among = (fields, version) => fields.filter(({ low, high }) => version >= low && version <= high)
const each = (value, item) => Array.isArray(value) ? value.map(item) : item(value)

class Unsupported extends Error {} // what the library's arguments have no place for
function toLibrary (fields, value, version) {
  if (value === null) return null // whether a struct may be null is for the library to say
  const given = among(fields, version).filter(({ name }) => name in value)
  if (given.length < Object.keys(value).length) throw new Unsupported(`no place for all of ${Object.keys(value)}`)
  return Object.fromEntries(given.map((field) => [field.theirs[0], argument(field, value[field.name], version)]))
}

function argument ({ bytes, nullable, wrapped, bare, fields }, value, version) {
  if (value === null) return nullable ? [] : null
  if (bytes) return Buffer.from(value, 'base64')
  if (wrapped) return value.map((item) => ({ [wrapped]: item }))
  if (bare) return value.map((item) => item && item[bare])
  return fields ? each(value, (item) => toLibrary(fields, item, version)) : value
}

function toJSON (fields, given, version) {
  const value = {}
  for (const { name, theirs, bytes, fields: inner } of among(fields, version)) {
    const item = theirs.map((path) => path.split('.').reduce((at, key) => at?.[key], given)).find((x) => x !== undefined)
    if (item === undefined) continue // not of this version
    if (item === null) value[name] = null
    else if (bytes) value[name] = item.toString('base64')
    else if (inner) value[name] = each(item, (one) => toJSON(inner, one, version))
    else value[name] = typeof item === 'bigint' ? String(item) : item
  }
  return value
}

const SPECIAL = { // the arguments of DeleteGroups are an array; bytes of SASL have their length before them
  DeleteGroupsRequest: ({ groupsNames }) => groupsNames,
  SaslAuthenticateRequest: ({ authBytes }) => ({ authBytes: new Encoder().writeBytes(authBytes).buffer }),
  SaslAuthenticateResponse: (value) => ({ ...value, authBytes: value.authBytes.subarray(4) }),
}
const special = (message, value) => SPECIAL[message]?.(value) ?? value

const folder = require.resolve(`${REQUESTS}/index.js`).replace(/index\.js$/, '')
const OPS = { request: ['encode', 'encode-request'], response: ['decode', 'decode-response'] }
const FLEXIBLE = ['AlterPartitionReassignments', 'ListPartitionReassignments']
const load = (path, kind) => { // an answer's module may be made from what was asked, which only its errors name
  const module = require(path)
  return kind === 'response' && typeof module === 'function' ? module({ topics: [] }) : module
}
const known = {}
const messages = { ...records.offers, ...primitives.offers }
for (const { name: api } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  for (const kind of ['request', 'response']) {
    const name = api[0].toUpperCase() + api.slice(1)
    const message = name + kind[0].toUpperCase() + kind.slice(1)
    if (!(message in MESSAGES)) continue
    const versions = readdirSync(folder + api).filter((entry) => /^v\d+$/.test(entry)).map((entry) => Number(entry.slice(1)))
    known[message] = Object.fromEntries(versions.map((v) => [v, load(`${REQUESTS}/${api}/v${v}/${kind}`, kind)]))
    const ops = FLEXIBLE.includes(name) ? OPS[kind].slice(1) : OPS[kind]
    messages[message] = { versions: versions.map((v) => [v, v]), ops }
  }
}

const HELLO = {
  protocol: 1, name: 'kafkajs', version: release, language: 'javascript', window: 64, compression: records.compression,
  definitions: '3.9.2', int64: 'string', unknownTags: 'dropped', ops: [...OPS.request, ...OPS.response], messages,
}

const request = (message, version, value) =>
  known[message][version](special(message, toLibrary(MESSAGES[message], value, version)))

async function read (message, version, bytes) {
  const value = special(message, await known[message][version].decode(bytes))
  return { value: toJSON(MESSAGES[message], value, version), remaining: null }
}

function received (frame) { // by the connection, which splits them; up to 1.4 it had the second queue
  let got
  const resolve = (response) => { got = response }
  const queues = { requestQueue: { fulfillRequest: resolve }, pendingQueue: new Proxy({}, { get: () => ({ resolve }) }) }
  processData.call({ chunks: [], bytesBuffered: 0, bytesNeeded: 4, buffer: Buffer.alloc(0), ...queues },
    Buffer.concat([new Encoder().writeInt32(frame.length).buffer, frame]))
  return got
}

async function codec ({ op, message, version, value, header, bytes }) {
  const data = Buffer.from(bytes ?? '', 'hex')
  if (message === 'Primitives') return op === 'decode' ? primitives.read(data, version) : { bytes: primitives.write(value, version) }
  if (message === 'Records') return records.readSet(data, version)
  if (message === 'RecordBatch') return op === 'decode' ? records.read(data) : { bytes: await records.write(value, Unsupported) }
  if (op === 'encode') return { bytes: (await request(message, version, value).encode()).buffer }
  if (op === 'decode') return read(message, version, data)
  if (op === 'encode-request') {
    return { bytes: (await createFrame({ ...header, request: request(message, version, value) })).buffer.subarray(4) }
  }
  const { correlationId, payload } = received(data)
  return { header: { correlationId }, ...await read(message, version, payload) }
}

async function answer (request) {
  const { op, id } = request
  if (op === 'hello') return HELLO
  if (!HELLO.ops.includes(op)) return { id, unsupported: `no ${op} here` }
  try {
    const { bytes, ...told } = await codec(request)
    return bytes ? { id, bytes: bytes.toString('hex') } : { id, ...told }
  } catch (error) {
    return error instanceof Unsupported ? { id, unsupported: error.message } : { id, rejected: String(error.message), error: error.name }
  }
}

let rest = ''
let last = Promise.resolve()
process.stdin.setEncoding('utf8').on('data', (chunk) => { // not readline: it ends lines at U+2028 too
  rest += chunk
  if (!chunk.includes('\n')) return
  const lines = rest.split('\n')
  rest = lines.pop()
  for (const line of lines) {
    last = last.then(() => answer(JSON.parse(line))).then((told) => process.stdout.write(JSON.stringify(told) + '\n'))
  }
})
