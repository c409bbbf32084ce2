// The loop over lines of the testee protocol. What the codec throws is an answer.

const HELLO = {
  protocol: 1,
  language: 'javascript',
  ops: ['decode', 'encode'],
  unknownTags: 'dropped',
  int64: 'string',
  window: 64,
}

function answer (codec, request) {
  const { op, id } = request
  if (op === 'hello') return { ...HELLO, ...codec.hello }
  if (!HELLO.ops.includes(op)) return { id, unsupported: `no ${op} here` }
  try {
    if (op === 'encode') return { id, bytes: codec.encode(request).toString('hex') }
    return { id, ...codec.decode({ ...request, bytes: Buffer.from(request.bytes, 'hex') }) }
  } catch (error) {
    if (error.constructor.name === 'Unsupported') return { id, unsupported: error.message }
    return { id, rejected: String(error.message), error: error.name }
  }
}

export function serve (codec) {
  let rest = ''
  process.stdin.setEncoding('utf8').on('data', (chunk) => { // not readline: it ends lines at U+2028 too
    rest += chunk
    if (!chunk.includes('\n')) return
    const lines = rest.split('\n')
    rest = lines.pop()
    for (const line of lines) process.stdout.write(JSON.stringify(answer(codec, JSON.parse(line))) + '\n')
  })
}
