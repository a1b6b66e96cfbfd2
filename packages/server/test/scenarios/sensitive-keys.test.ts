// The encryption key is changed while everything goes on: hosts with the old key, with both and with the new one share
// a database, and a run does not show which of them executed it.
import { randomBytes } from 'node:crypto'
import type { CreatedRun } from '@runwright/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { type App, createApp } from '../../src/app.ts'
import { chooseModels, modelBook } from '../../src/models/choose-models.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import { countSealed } from '../../src/store/sealed/values.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { untilEnded } from '../support/engine.ts'
import { Caller } from '../support/http.ts'
import { ownTool } from '../support/own-tool.ts'

const [old, next] = [randomBytes(32), randomBytes(32)]
const keyPepper = randomBytes(32)
const key = 'key_acme:secret'
const logger = createLogger({ level: 'silent' })
const settings = readSettings({ RUNWRIGHT_PORT: '0', RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key}` })
const taker = ownTool({ name: 'taker' })

let fresh: FreshDatabase
let apps: App[]
beforeEach(async () => {
  fresh = await freshDatabase()
  apps = []
  await bootstrapKeys({ database: fresh.database, keyPepper, keys: settings.secrets.bootstrapKeys, logger })
})
afterEach(async () => {
  for (const app of apps) await app.stop()
  await fresh.drop()
})

/** A host that only answers, or only executes. */
async function startHost(part: 'api' | 'worker', encryptionKey: Buffer, ...previousEncryptionKeys: Buffer[]) {
  const secrets = { encryptionKey, previousEncryptionKeys, keyPepper }
  const worker = { models: await chooseModels(settings.models, modelBook(process.env)), tools: [taker] }
  const { connection } = fresh
  const app = createApp({ settings, connection, secrets, logger, ...(part === 'api' ? { api: {} } : { worker }) })
  apps.push(app)
  return { app, caller: new Caller((await app.start()) ?? '', key) }
}

const tools = [{ name: 'taker', input: { p: '{{secret:$.input.password}}' } }]
const body = (password: string) => ({
  input: { password, sandbox: { steps: [{ tools }] } },
  metadata: {},
  sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
  routing_hint: 'skip_planning',
})
const given = (id: string) => taker.callsOf(id).map(({ input }) => input)

async function isExecuted({ caller }: { caller: Caller }, password: string): Promise<void> {
  const { id } = await caller.newRun(body(password))
  expect((await untilEnded(caller, id)).at(-1)?.type).toBe('run.worker.succeeded')
  expect(given(id)).toEqual([{ p: password }])
}

test('a worker with the old key executes what a host with both keys has sealed, and the other way round', async () => {
  const worker = await startHost('worker', old)
  const before = await startHost('api', old)
  const both = await startHost('api', next, old)
  await isExecuted(both, 'sealed by the new one')
  await isExecuted(before, 'sealed by the old one')
  expect((await countSealed(fresh.database)).size).toBe(2)
  await worker.app.stop()
  apps = apps.filter((app) => app !== worker.app)
  await startHost('worker', next, old)
  await isExecuted(before, 'sealed by the old one, read by the new')
})

test('a host that has not seen the new data key yet forks a run that is sealed with it', async () => {
  const before = await startHost('api', old)
  const both = await startHost('api', next, old)
  await startHost('worker', next, old)
  const { routing_hint: _, ...sealed } = body('sealed by the new one')
  sealed.input.sandbox.steps.push({ tools })
  const steps = [
    { id: 'a', instruction: 'Take it.' },
    { id: 'b', instruction: 'Take it again.', depends_on: ['a'] },
  ]
  const { id } = await both.caller.newRun({ ...sealed, plan: { version: 'v2', steps } })
  await untilEnded(both.caller, id)
  const reply = await before.caller.post(`/v1/runs/${id}/fork`, { from_step: 'a' }, { 'idempotency-key': 'fork' })
  expect(reply.status, reply.text).toBe(201)
  const fork = reply.json<CreatedRun>().id
  await untilEnded(before.caller, fork)
  expect(given(fork)).toEqual([{ p: 'sealed by the new one' }])
})

test('a replay is still one after the key was changed, and another body still a conflict', async () => {
  const headers = { 'idempotency-key': 'once' }
  const before = await startHost('api', old)
  expect((await before.caller.create(body('hunter2'), headers)).status).toBe(201)
  await startHost('api', next, old)
  const after = await startHost('api', next)
  expect((await after.caller.create(body('hunter2'), headers)).json()).toMatchObject({ replayed: true })
  expect((await after.caller.create(body('hunter3'), headers)).status).toBe(409)
})

test('a worker that cannot open one run leaves it, and executes the others', async () => {
  const api = await startHost('api', old)
  const { id: broken } = await api.caller.newRun(body('hunter2'))
  await fresh.database.query({ text: 'update run_inputs set sealed_key = 99' })
  await startHost('worker', old)
  await isExecuted(api, 'hunter3')
  expect(given(broken)).toEqual([])
  expect((await api.caller.run(broken)).status).toBe('running')
})
