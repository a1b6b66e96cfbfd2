// What a model that reads its prompt is told of memory, through the whole service. Only the model's server is a mock.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Bench, planned, startBench, untilEnded } from '../support/engine.ts'

let server: Server
let bench: Bench
const prompts: string[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    prompts.push(body)
    const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm' }
    const choice = { index: 0, delta: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  bench = await startBench({ RUNWRIGHT_MODEL_WORKER: 'openai-compatible/m' })
})
afterAll(async () => {
  await bench.stop()
  vi.unstubAllEnvs()
  server.close()
})

const spoon = 'The vault is opened with a golden spoon.'
const labels = { workspace_id: 'bank', subject_id: 'vault' }

/** All that the model was told in a run that asks about the vault. */
async function promptOf(more: object, steps: Parameters<typeof planned>[0] = [], caller = bench.acme): Promise<string> {
  prompts.length = 0
  const ask = { id: 'ask', instruction: 'Find out how the vault is opened.' }
  const id = await bench.create(planned([...steps, ask], [], { ...more }), caller)
  expect((await untilEnded(caller, id)).at(-1)?.type).toBe('run.worker.succeeded')
  return prompts.join()
}

test('a note of the same labels is in the prompt, marked as data; others never are', async () => {
  const save = { id: 'save', tool: 'memory_save', input: { title: 'Vault', content: spoon } }
  const prompt = await promptOf(labels, [save])
  expect(prompt).toContain('<memory>')
  expect(prompt).toContain(spoon)
  expect(await promptOf(labels)).toContain(spoon)
  expect(await promptOf({ workspace_id: 'bank' })).not.toContain('spoon')
  expect(await promptOf(labels, [], bench.other)).not.toContain('spoon')
  expect(prompts).toHaveLength(1)
})
