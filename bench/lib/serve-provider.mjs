// A provider for benchmarks: speaks OpenAI's streamed chat completions on loopback, fast, and checks nothing.
// It answers each role by the beginning of its system prompt. The parent changes how it behaves with `behave`:
//   { mode: 'answer', delayMs, turns }                 a worker calls the calculator in all turns but the last
//   { mode: 'stream', tokens, perSecond, epoch }       a worker says tokens at a rate, each with the time of its write
//   { mode: 'refuse', retryAfterSeconds }              429 for everyone
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

const roles = {
  'You plan the work': 'planner',
  'You are an agent that works': 'worker',
  'You judge the work': 'judge',
}
const tickMs = 5
let behaviour = { mode: 'answer', delayMs: 50 }
let calls = 0
let onCall = () => undefined
/** Streams that wait for `begin`, or say their tokens. */
const waiting = []
const talking = new Set()
/** The hash of each text that was said to the end; more than one when a call was repeated. */
let said = new Map()

const chunk = (delta, finish = null, more = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
const ending = (finish) =>
  `${chunk({}, finish, { usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } })}data: [DONE]\n\n`
const text = (words) => chunk({ role: 'assistant', content: words }) + ending('stop')
/** Each turn asks for something else: a worker that repeats itself is stopped. */
const call = (turn) => ({
  index: 0,
  id: `call_bench_${turn}`,
  type: 'function',
  function: { name: 'calculator', arguments: JSON.stringify({ expression: `17 * ${23 + turn}` }) },
})
const replies = {
  planner: text('{"goal":"answer","steps":[{"id":"answer","instruction":"Answer the question."}]}'),
  judge: text('{"decision":"stop","reason":"done"}'),
  toolCall: (turn) => chunk({ role: 'assistant', content: null, tool_calls: [call(turn)] }) + ending('tool_calls'),
  worker: text('17 times 23 is 391.'),
}
// A token is as short as a real one: its frame is written once, and only the text is filled in.
const [frameStart, frameEnd] = chunk({ content: '?' }).split('?')

const server = createServer(async (request, response) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const { messages } = JSON.parse(Buffer.concat(pieces).toString())
  calls += 1
  onCall()
  if (behaviour.mode === 'refuse') return refuse(response)
  const role = Object.entries(roles).find(([start]) => messages[0].content.startsWith(start))?.[1]
  if (role === undefined) throw new Error(`unknown role: ${messages[0].content.slice(0, 60)}`)
  if (behaviour.mode === 'stream' && role === 'worker') return holdBack(messages, response)
  const turn = messages.filter((message) => message.role === 'tool').length
  const isLast = turn + 1 >= (behaviour.turns ?? 2)
  const reply = role === 'worker' && !isLast ? replies.toolCall(turn) : replies[role]
  setTimeout(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply), behaviour.delayMs ?? 50)
})

function refuse(response) {
  const error = {
    message: 'Rate limit reached for requests.',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  }
  const headers = { 'content-type': 'application/json', 'retry-after': String(behaviour.retryAfterSeconds) }
  response.writeHead(429, headers).end(JSON.stringify({ error }))
}

function holdBack(messages, response) {
  const number = Number(/stream number (\d+)/.exec(JSON.stringify(messages))[1])
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ role: 'assistant', content: '' }))
  waiting.push({ number, response, left: behaviour.tokens, text: '', nextAt: 0, said })
  onCall()
}

/** Lets all who wait talk, each at its own moment of the period. */
function begin() {
  const periodMs = 1000 / behaviour.perSecond
  const start = performance.now()
  for (const [index, stream] of waiting.splice(0).entries()) {
    stream.nextAt = start + (periodMs * (index % 100)) / 100
    talking.add(stream)
  }
  const timer = setInterval(() => {
    const now = performance.now()
    const token = `${(Date.now() - behaviour.epoch).toString(36)} `
    for (const stream of talking) sayDue(stream, { now, token, periodMs })
    if (talking.size === 0) clearInterval(timer)
  }, tickMs)
}

function sayDue(stream, { now, token, periodMs }) {
  for (; stream.nextAt <= now && stream.left > 0; stream.nextAt += periodMs) {
    stream.left -= 1
    stream.text += token
    stream.response.write(frameStart + token + frameEnd)
  }
  if (stream.left > 0 && !stream.response.destroyed) return
  talking.delete(stream)
  stream.response.end(ending('stop'))
  const texts = stream.said.get(stream.number) ?? []
  stream.said.set(stream.number, [...texts, createHash('sha256').update(stream.text).digest('hex')])
}

/** Resolves when it holds; asked again with every call that comes in. */
const until = (holds) =>
  new Promise((resolve) => {
    onCall = () => holds() && resolve()
    onCall()
  })

const answers = {
  behave: async ({ behaviour: next }) => {
    behaviour = next
    calls = 0
    said = new Map()
  },
  calls: async () => calls,
  called: ({ times }) => until(() => calls >= times),
  streamsWait: ({ streams }) => until(() => waiting.length >= streams),
  begin: async () => begin(),
  said: async () => Object.fromEntries(said),
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
server.listen({ port: 0, host: '127.0.0.1', backlog: 10_000 })
await once(server, 'listening')
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/v1` }))
