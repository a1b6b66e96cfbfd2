// The program of the README, run as written against a service with the sandbox model.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Runwright } from '@runwright/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownConnections } from '../support/cli.ts'
import { type Bench, startBench } from '../support/engine.ts'
import { Occurrences } from '../support/occurrences.ts'

const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8')
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

let bench: Bench
let connections: ReturnType<typeof ownConnections>
beforeAll(async () => {
  connections = ownConnections()
  bench = await startBench()
})
afterAll(async () => {
  await connections.close()
  await bench.stop()
})

function execute(text: string, printed: Occurrences<string>): Promise<void> {
  const { url, key } = bench.service
  const body = text.replace(/^import .*$/m, '').replace('http://127.0.0.1:8080', url)
  const run = new AsyncFunction('Runwright', 'process', 'console', body)
  return run(Runwright, { env: { RUNWRIGHT_API_KEY: key } }, { log: (line: string) => printed.add(line) })
}

test('has twelve lines', () => {
  expect(program.trimEnd().split('\n')).toHaveLength(12)
})

test('creates a run, streams it and approves it', async () => {
  const printed = new Occurrences<string>()
  await execute(program, printed)
  expect(printed.all[0]).toBe('run.created')
  expect(printed.all.indexOf('run.signal_applied')).toBe(printed.all.indexOf('run.awaiting_input') + 1)
  expect(printed.all.at(-1)).toBe('run.worker.succeeded')
})

test('without the line with `signal`, the run waits until it is approved elsewhere', async () => {
  const printed = new Occurrences<string>()
  const ended = execute(program.replace(/^.*signal.*\n/m, ''), printed)
  await printed.nth(1, (line) => line === 'run.awaiting_input')
  const client = new Runwright({ baseUrl: bench.service.url, apiKey: bench.service.key })
  const { runs } = await client.runs.list({ awaiting_input: true, include: ['awaiting_input'] })
  expect(runs).toMatchObject([{ awaiting_input: { prompt: 'Pay 1146 euros?' } }])
  const [{ id, awaiting_input } = { id: '' }] = runs
  await client.runs.signal(id, { action: 'approve', await_seq: awaiting_input?.seq ?? 0 })
  await ended
  expect(printed.all.at(-1)).toBe('run.worker.succeeded')
})
