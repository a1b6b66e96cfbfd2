import { expect, test } from 'vitest'
import { operator } from '../domain/actor.ts'
import { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import type { NewRun } from '../store/run-log/create-statement.ts'
import { type CreateDependencies, createRun, writeRun } from './create-run.ts'

/** Creates a run without a database, and returns what would have been stored. */
async function stored(body: object, keyring: Keyring): Promise<NewRun> {
  const runs: NewRun[] = []
  const dependencies = {
    creator: {
      create: async (run: NewRun) => {
        runs.push(run)
        return { outcome: 'created', createdAt: new Date() }
      },
    },
    queueLimit: { reserve: async () => ({ release: () => undefined }) },
    hashBody: () => Buffer.alloc(32),
    keyring,
    limits: { default: { tokens: 1, durationSeconds: 1, signalTimeoutSeconds: 1 } },
    knownTools: new Set(['calculator']),
    workerIsSandbox: true,
  } as unknown as CreateDependencies
  const request = {
    customerId: 'acme',
    requestId: 'req_1',
    idempotencyKey: 'k',
    body: JSON.stringify(body),
    by: operator,
  }
  await createRun(dependencies, request)
  return runs[0] as NewRun
}

test('a place in the queue is given back, with whether a run took it', async () => {
  const released: boolean[] = []
  const queueLimit = { reserve: () => ({ release: (created: boolean) => void released.push(created) }) }
  const dependencies = { queueLimit } as unknown as CreateDependencies
  const run = { customerId: 'acme', idempotencyKey: 'k', bodyHash: Buffer.alloc(32) } as NewRun
  await writeRun(dependencies, run, async () => ({ outcome: 'created', createdAt: new Date() }))
  const refused = writeRun(dependencies, run, () => Promise.reject(new Error('The database is down')))
  await expect(refused).rejects.toThrow('The database is down')
  expect(released).toEqual([true, false])
})

test('the first event tells what the client wanted of the run, and how it begins', async () => {
  const wanted = { streaming: true, routing_hint: 'require_planning' }
  const run = await stored({ input: { a: 1 }, metadata: {}, ...wanted }, untouchable)
  const payload = JSON.parse(run.createdPayload)
  expect(payload).toMatchObject({ request_id: 'req_1', ...wanted, routing: { first_role: 'planner' } })
  const plain = JSON.parse((await stored({ input: { a: 1 }, metadata: {} }, untouchable)).createdPayload)
  expect(Object.keys(plain)).toEqual(['request_id', 'routing'])
})

/** A keyring that throws on any access. */
const untouchable = new Proxy({} as Keyring, {
  get: () => {
    throw new Error('a run without tags has nothing to seal')
  },
})

const input = { user: 'ada', password: 'hunter2', note: 'it is hunter2' }
const tags = [{ path: '$.input.password', classification: 'credential' }]

test.each([undefined, []])('a run without tags is stored as sent, and uses no key: %j', async (sensitivity_tags) => {
  const body = { input: { a: 'text', sandbox: {} }, metadata: { b: 1 }, attachment_refs: ['x'], sensitivity_tags }
  const run = await stored(body, untouchable)
  expect(run).toMatchObject({ input: '{"a":"text","sandbox":{}}', metadata: '{"b":1}', attachmentRefs: ['x'] })
  expect(run.sealed).toBeUndefined()
})

test('tags that select nothing seal nothing', async () => {
  const run = await stored({ input: { a: 1 }, metadata: {}, sensitivity_tags: tags }, untouchable)
  expect(run).toMatchObject({ input: '{"a":1}', sensitivityTags: tags })
  expect(run.sealed).toBeUndefined()
})

test('the sensitive values of a tagged run are sealed, bound to the run and its customer', async () => {
  const keyring = new Keyring()
  keyring.learn(new Map([[7, Buffer.alloc(32, 1)]]))
  const plan = { steps: [{ id: 'a', tool: 'calculator', input: { expression: 'hunter2' } }] }
  const run = await stored({ input, metadata: {}, sensitivity_tags: tags, plan }, keyring)
  const { sealed, ...clear } = run
  expect(JSON.stringify(clear)).not.toContain('hunter2')
  expect(JSON.parse(run.input)).toEqual({ user: 'ada', password: '***', note: 'it is ***' })
  expect(JSON.stringify(run.plan)).toContain('{{secret:$.input.password}}')
  expect(sealed?.keyId).toBe(7)
  const opened = sealed && keyring.open(sealed, { runId: run.id, customerId: 'acme' })
  expect(opened).toEqual({
    taken: [
      [['input', 'password'], 'hunter2'],
      [['input', 'note'], 'it is hunter2'],
    ],
    hidden: [],
  })
  expect(() => sealed && keyring.open(sealed, { runId: run.id, customerId: 'other' })).toThrow()
})
