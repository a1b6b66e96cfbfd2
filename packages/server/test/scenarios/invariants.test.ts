// The checker of invariants is checked itself: each kind of damage to what is stored must be found.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { findViolations, scripted, startBench, thenStep } from '../support/engine.ts'
import type { Service } from '../support/service.ts'

let service: Service
let runId: string
beforeAll(async () => {
  const bench = await startBench()
  service = bench.service
  const tools = [{ name: 'calculator', input: { expression: '1' } }]
  const id = await bench.create(scripted([thenStep('await_input', { tools }), { fail: { times: 1 } }]))
  await bench.waits(id)
  await bench.signal(id, 'approve')
  await bench.ended(id)
  await bench.command(id, 'retry')
  await bench.ended(id, 2)
  runId = fromWireId('run', id) ?? ''
})
afterAll(() => service.stop())

const last = '(select max(seq) from events)'
const event = (type: string) => `(select min(seq) from events where type = '${type}')`
const setPayload = (type: string, patch: string) =>
  `update event_rows set payload = (payload::jsonb || '${patch}')::json where seq = ${event(type)}`

test('finds nothing wrong with a run that went through a wait, a failure and a retry', async () => {
  expect(await findViolations(service.database)).toEqual([])
})

test.each([
  ['I1', `update event_rows set seq = seq + 1 where seq = ${last}`],
  ['I2', 'update runs set next_seq = next_seq + 1'],
  ['I3', `update event_rows set type = 'step.progress' where seq = ${event('run.worker.retry_scheduled')}`],
  ['I4', `update runs set state = 'cancelled'`],
  ['I5', setPayload('run.worker.retry_scheduled', '{"from_status":"stalled"}')],
  ['I7', `update runs set state = 'running'`],
  ['I8', 'update runs set tokens = tokens + 1'],
  ['I8', `delete from usage_rows where event_type = 'tool.invoked'`],
  ['I8', `delete from usage_rows where event_type = 'task.completed'`],
  ['I9', `delete from journal where key like 'result:%'`],
  ['I9', `update event_rows set payload = '{}' where seq = ${event('run.tool.invoked')}`],
  ['I10', `update event_rows set at = at - interval '1 hour' where seq = 5`],
  ['I10', `update runs set updated_at = updated_at + interval '1 second'`],
  ['I11', `update event_rows set type = 'step.progress' where seq = ${event('run.signal_applied')}`],
  ['I12', `update usage_rows set customer_id = 'other'`],
  ['I12', `update run_inputs set customer_id = 'other'`],
  ['payloads', setPayload('step.done', '{"more":1}')],
  ['payloads', setPayload('run.coordination.decision', '{"judge_decision":{"decision":"stop","reason":"x"}}')],
  ['payloads', setPayload('run.coordination.decision', '{"reason_code":"because"}')],
  ['payloads', setPayload('run.worker.started', '{"reason_code":"x"}')],
  ['what a worker writes', setPayload('step.done', '{"request_id":"another"}')],
  ['a decision follows', `update event_rows set at = at + interval '1 ms' where seq = ${event('step.done')} + 1`],
])('finds a breach of %s: %s', async (name, damage) => {
  const found = await inRolledBackTransaction(damage)
  expect(found.filter((violation) => violation.startsWith(name) || violation.includes(` ${name} `))).not.toEqual([])
})

async function inRolledBackTransaction(damage: string): Promise<string[]> {
  const { connection, applicationName } = service.database.options
  const alone = new Database({ connection, applicationName, maxConnections: 1 })
  try {
    await alone.run({ text: 'begin' })
    await alone.run({ text: damage })
    return await findViolations(alone)
  } finally {
    await alone.run({ text: 'rollback' })
    await alone.close()
  }
}

/** A lease on an ended run cannot even be stored, so I6 has no case: the schema refuses it. */
test('the schema itself refuses a lease on a run that is not running', async () => {
  const damage = `update runs set worker_id = gen_random_uuid(), lease_until = now() where id = '${runId}'`
  await expect(service.database.query({ text: damage })).rejects.toThrow(/lease_while_running/)
})
