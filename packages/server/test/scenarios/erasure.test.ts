// What is left of a subject, and of a customer, after it was erased: nothing. A marker is put wherever a run can write,
// and then every cell of every table is searched for it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedRun, MemoryList, ScheduleList, Usage } from '@runwright/contract'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { customersCommand } from '../../src/cli/admin/customers.ts'
import { subjectsCommand } from '../../src/cli/admin/subjects.ts'
import type { OpenStore } from '../../src/cli/database/open-store.ts'
import { type ChainHead, listHeads } from '../../src/store/audit/entries.ts'
import { verifyChain } from '../../src/store/audit/verify-chain.ts'
import { auditUsage } from '../../src/store/usage/audit.ts'
import { dumpTables } from '../support/canaries.ts'
import { WordEmbedder } from '../support/embedder.ts'
import { Caller } from '../support/http.ts'
import { Receiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const marker = 'kestrel'
const secret = 'osprey-4711'
const folder = mkdtempSync(join(tmpdir(), 'runwright-erasure-'))
const pauses: number[] = []
const waits = { leaseMs: 30_000, pause: async (ms: number) => void pauses.push(ms) }
const open: OpenStore = (work) => work({ database: service.database, keyPepper: randomBytes(32) })

let service: Service
let acme: Caller
let receiver: Receiver
beforeAll(async () => {
  service = await startService(
    { RUNWRIGHT_WEBHOOK_PRIVATE_ADDRESSES: 'allow' },
    { worker: true, embedder: new WordEmbedder() },
  )
  acme = new Caller(service.url, service.key)
  receiver = await new Receiver().start()
  expect((await acme.post('/v1/webhooks', { url: receiver.url })).status).toBe(201)
})
afterAll(async () => {
  await service.stop()
  await receiver.stop()
  rmSync(folder, { recursive: true })
})

async function command(of: Command, ...argv: string[]): Promise<string> {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  const error = vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(text))
  await of.parseAsync(argv, { from: 'user' })
  log.mockRestore()
  error.mockRestore()
  return printed.join('\n')
}

async function create(subject: string, n: number, body: object): Promise<string> {
  const reply = await acme.create(
    { input: {}, metadata: { about: subject }, subject_id: subject, workspace_id: 'w', ...body },
    { 'idempotency-key': `${subject}-${n}`, 'x-request-id': `${subject}-${n}` },
  )
  expect(reply.status, reply.text).toBe(201)
  return reply.json<CreatedRun>().id
}

async function reaches(id: string, type: string): Promise<void> {
  const stream = await acme.stream(`/v1/runs/${id}/events/stream`)
  await stream.until(({ events }) => events.some((event) => event.type === type), 30_000)
  stream.close()
}

const gate = (word: string) => ({ id: 'gate', await_input: { prompt: `${word}?` } })

/** Runs that write the word into every place that a run can write to: one for each end, and one that waits. */
async function runsAbout(word: string): Promise<string[]> {
  const plan = {
    goal: word,
    steps: [
      { id: 'note', tool: 'memory_save', input: { title: `About ${word}`, content: word, tags: [word] } },
      { id: 'query', tool: 'json_query', input: { json: { bird: word }, path: '$.bird' } },
      gate(word),
      { id: 'say', instruction: `Describe ${word}.` },
    ],
  }
  const input = { bird: word, password: secret, sandbox: { steps: [{ say: `A ${word}.`, output: { bird: word } }] } }
  const sensitivity_tags = [{ path: '$.input.password', classification: 'credential' }]
  const done = await create(word, 1, { input, plan, sensitivity_tags })
  await reaches(done, 'run.awaiting_input')
  const signal = { action: 'submit_input', payload: { bird: word }, idempotency_key: word }
  expect((await acme.post(`/v1/runs/${done}/signal`, signal)).status).toBe(200)
  await reaches(done, 'run.worker.succeeded')
  const fail = { reason_code: 'provider_error', message: `No ${word}.`, retryable: false }
  const failed = await create(word, 2, { input: { bird: word, sandbox: { steps: [{ fail }] } } })
  await reaches(failed, 'run.worker.failed')
  const deleted = await create(word, 3, { input: { sandbox: { steps: [{ say: word }] } } })
  await reaches(deleted, 'run.worker.succeeded')
  expect((await acme.send({ method: 'DELETE', path: `/v1/runs/${deleted}` })).status).toBe(200)
  const waiting = await create(word, 4, { plan: { steps: [gate(word)] } })
  await reaches(waiting, 'run.awaiting_input')
  const fork = await acme.post(`/v1/runs/${done}/fork`, { from_step: 'gate' }, { 'idempotency-key': `${word}-5` })
  await reaches(fork.json<CreatedRun>().id, 'run.worker.succeeded')
  return [done, failed, waiting]
}

async function scheduleAbout(word: string): Promise<void> {
  const run = {
    input: { bird: word, password: secret },
    metadata: {},
    subject_id: word,
    sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
  }
  const reply = await acme.post('/v1/schedules', { name: `About ${word}`, cron: '0 0 1 1 *', run })
  expect(reply.status, reply.text).toBe(201)
}

/** The sandbox records no turns. */
const addTurns = (word: string) =>
  service.database.run({
    text: `
insert into turns (customer_id, run_id, seq, attempt, epoch, task_key, call_key, role, started_at, shared, messages,
  body, size)
select customer_id, id, 1, 1, 1, '0/a', '0/a:1', 'worker', now(), 0, json_build_array($1::text),
  json_build_object('reply', $1::text), 10
from runs
where subject_id = $1`,
    values: [word],
  })

async function tablesWith(word: string): Promise<string[]> {
  const cells = await dumpTables(service.database)
  const found = cells.filter(([, text]) => text.toLowerCase().includes(word)).map(([name]) => name.split('.')[0] ?? '')
  return [...new Set(found)].sort()
}

const usage = async () => (await acme.get('/v1/usage?group_by=workspace_id')).json<Usage>().usage
const auditActions = async () => {
  const rows = await service.database.run<{ action: string }>({ text: `select action from audit_entries` })
  return rows.map(({ action }) => action)
}
const memory = async () => (await acme.get('/v1/memory/items')).json<MemoryList>().items

test('an erased subject leaves no trace, and the sums of its customer stay', async () => {
  const [done] = await runsAbout(marker)
  const [other] = await runsAbout('heron')
  await addTurns(marker)
  await scheduleAbout(marker)
  await scheduleAbout('heron')
  await acme.send({
    method: 'PUT',
    path: `/v1/budgets/subjects/${marker}`,
    body: { period: 'month', tokens: 1_000_000 },
    headers: { 'content-type': 'application/json' },
  })
  const written = [
    ...['event_rows', 'journal', 'memory_items', 'run_inputs', 'run_results', 'runs', 'signals', 'turns', 'usage_rows'],
    ...['budgets', 'removed_usage', 'schedules', 'usage_totals', 'webhook_deliveries'],
  ]
  await expect.poll(() => tablesWith(marker)).toEqual(expect.arrayContaining(written))
  const before = await usage()

  const file = join(folder, 'subject.ndjson')
  await command(subjectsCommand(open, waits), 'export', 'acme', marker, '--out', file)
  const exported = readFileSync(file, 'utf8')
  const lines = exported
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(new Set(lines.map(({ record }) => record))).toEqual(
    new Set([
      'budget',
      'run',
      'event',
      'kept_step',
      'kept_answer',
      'turn',
      'signal',
      'usage',
      'usage_of_removed_runs',
      'memory',
      'schedule',
      'webhook_delivery',
    ]),
  )
  expect(lines.find(({ record }) => record === 'run')).toMatchObject({ id: expect.stringMatching(/^run_/) })
  expect(lines.find(({ record }) => record === 'schedule')).toMatchObject({
    id: expect.stringMatching(/^sched_/),
    last_run_id: null,
    run: { input: { bird: marker, password: '***' } },
  })
  const kept = (record: string) => lines.filter((line) => line.record === record)
  expect(kept('kept_step')).toMatchObject([{ step_id: 'note' }, { step_id: 'query', output: { matches: [marker] } }])
  expect(kept('kept_answer')).toMatchObject([{ action: 'submit_input', payload: { bird: marker } }])
  expect(lines.find(({ forked_from }) => forked_from)).toMatchObject({ forked_from: done, forked_step: 'gate' })
  expect(exported).not.toContain(secret)
  expect(exported).not.toContain('heron')

  expect(await command(subjectsCommand(open, waits), 'erase', 'acme', marker)).toContain('--yes')
  expect(await tablesWith(marker)).toEqual(expect.arrayContaining(written))
  expect(await command(subjectsCommand(open, waits), 'erase', 'acme', marker, '--yes')).toBe(
    'Erased 4 runs and 1 memory items.',
  )
  // It waited for ticks of its schedule that had begun, and for the workers: a run was not finished.
  expect(pauses).toEqual([5_000, 30_000])
  expect(await tablesWith(marker)).toEqual([])
  expect(await usage()).toEqual(before)
  // The audit log keeps what was done, without the subject, and its chain is whole.
  await expect
    .poll(auditActions)
    .toEqual(expect.arrayContaining(['run.fork', 'run.delete', 'budget.set', 'subject.erase']))
  expect(await tablesWith(marker)).toEqual([])
  const [head] = await listHeads(service.database, 'acme')
  expect(await verifyChain(service.database, head as ChainHead)).toEqual({ head })
  expect((await auditUsage(service.database, 'acme')).differences).toEqual([])
  expect((await acme.run(other ?? '')).status).toBe('succeeded')
  expect((await memory()).map(({ title }) => title)).toEqual(['About heron'])
  const sealed = await service.database.run({ text: 'select run_id from run_inputs where sealed is not null' })
  const { schedules } = (await acme.get('/v1/schedules')).json<ScheduleList>()
  expect(schedules.map(({ name }) => name)).toEqual(['About heron'])
  // The run and its fork.
  expect(sealed).toHaveLength(2)
}, 120_000)

test('an erased customer leaves no trace, and other customers keep theirs', async () => {
  const other = new Caller(service.url, service.otherKey)
  const run = await other.newRun({ subject_id: 'swift' })
  pauses.length = 0
  const file = join(folder, 'customer.ndjson')
  await command(customersCommand(open, waits), 'export', 'acme', '--out', file)
  const exported = readFileSync(file, 'utf8')
  expect(exported).toMatch(
    /"record":"customer".*"record":"key".*"record":"schedule".*"record":"webhook".*"record":"webhook_delivery".*"record":"audit".*"record":"run".*"record":"memory"/s,
  )
  expect(exported).not.toMatch(/secret_hash|sealed/)
  expect(exported).not.toContain('swift')
  expect(await command(customersCommand(open, waits), 'erase', 'acme', '--yes')).toMatch(/^Erased \d+ runs/)
  expect(pauses).toEqual([5_000, 30_000])
  expect(await tablesWith('heron')).toEqual([])
  expect(await tablesWith('acme')).toEqual([])
  expect((await other.run(run.id)).id).toBe(run.id)
  expect(await command(customersCommand(open, waits), 'erase', 'acme', '--yes')).toContain('does not exist')
}, 60_000)
