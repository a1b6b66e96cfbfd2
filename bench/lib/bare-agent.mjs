// The baseline for agents: a loop that makes the calls of a run to the provider itself, without a service or a
// database.
import { setTimeout as sleep } from 'node:timers/promises'
import { Histogram } from './histogram.mjs'
import { SpokenText } from './spoken-text.mjs'

const system = {
  worker: { role: 'system', content: 'You are an agent that works on one step of a task.' },
  judge: { role: 'system', content: 'You judge the work of an agent after each of its steps.' },
}
const question = { role: 'user', content: 'What is 17 times 23?' }
const asked = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_bench', type: 'function', function: { name: 'calculator', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'call_bench', content: '{"result":391}' }
const conversations = [
  [system.worker, question],
  [system.worker, question, asked, result],
  [system.judge, question],
]

/** Makes one call and hands over each text that comes. */
async function call(url, messages, onText = () => undefined) {
  const body = JSON.stringify({ model: 'bench', stream: true, messages })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })
  const decoder = new TextDecoder()
  let buffered = ''
  for await (const bytes of response.body) {
    const lines = (buffered + decoder.decode(bytes, { stream: true })).split('\n')
    buffered = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue
      const { content } = JSON.parse(line.slice(6)).choices[0].delta
      if (content) onText(content)
    }
  }
}

/** The time of each call in ms, and what the calls cost of the CPU. */
async function loop({ url, runs, inFlight }) {
  const times = []
  const before = process.cpuUsage()
  let started = 0
  const lane = async () => {
    while (started < runs) {
      started += 1
      for (const messages of conversations) {
        const start = performance.now()
        await call(url, messages)
        times.push(performance.now() - start)
      }
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  const { user, system } = process.cpuUsage(before)
  return { times, cpuMs: (user + system) / 1000 }
}

const histogram = new Histogram()
let streams = []

const answers = {
  loop,
  open: async ({ url, count, epoch }) => {
    streams = Array.from({ length: count }, (_, number) => {
      const text = new SpokenText(histogram, epoch)
      const content = `stream number ${number}`
      const onText = (piece) => text.hear(piece, Date.now())
      return { text, ended: call(url, [system.worker, { role: 'user', content }], onText) }
    })
  },
  forget: async () => histogram.clear(),
  /** When every stream has ended, or the time is over. */
  result: async ({ withinMs }) => {
    await Promise.race([Promise.all(streams.map(({ ended }) => ended)), sleep(withinMs)])
    return {
      hashes: streams.map(({ text }) => text.hash),
      tokens: histogram.count,
      p50: histogram.percentile(0.5),
      p99: histogram.percentile(0.99),
    }
  },
}
process.on('message', async (question) => {
  process.send({ number: question.number, answer: await answers[question.what](question) })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
console.log('{}')
