// conformance/signals.test.ts and scenarios/approvers.test.ts test signals over HTTP. Here statements are counted, and
// a request is paused between its check and its write.
import { createHash } from 'node:crypto'
import type { ApprovalRules, SignalAction } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countStatements } from '../../test/support/count-statements.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { Driver } from '../../test/support/drive.ts'
import { newRun } from '../../test/support/new-run.ts'
import { type Actor, actorOf } from '../domain/actor.ts'
import { toWireId } from '../runtime/ids.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { RunLog } from '../store/run-log/run-log.ts'
import { signalRun } from './signal-run.ts'

let fresh: FreshDatabase
let driver: Driver
beforeAll(async () => {
  fresh = await freshDatabase()
  driver = new Driver(fresh.database)
})
afterAll(() => fresh.drop())

/** A log that does something else before the first change, as if the process were paused. */
class PausedLog extends RunLog {
  whilePaused: () => Promise<unknown> = async () => undefined

  override async apply(...change: Parameters<RunLog['apply']>): ReturnType<RunLog['apply']> {
    const { whilePaused } = this
    this.whilePaused = async () => undefined
    await whilePaused()
    return super.apply(...change)
  }
}

const ada = actorOf({ keyId: 'key_ada', person: 'ada', roles: ['finance'], rolesFrom: 'identity' })
const eve = actorOf({ keyId: 'key_eve', person: 'eve', rolesFrom: 'identity' })

async function waitingRun(rules?: ApprovalRules): Promise<string> {
  const run = newRun({ customerId: 'acme' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  await driver.toAwaiting(toWireId('run', run.id), { rules })
  return run.id
}

interface Sent {
  readonly runId: string
  readonly by?: Actor
  readonly action?: SignalAction
  readonly payload?: unknown
  readonly awaitSeq?: number
  readonly idempotencyKey?: string
}

const send = (
  { runId, by = ada, action = 'approve', payload, awaitSeq, idempotencyKey }: Sent,
  runLog = new RunLog(fresh.database, () => undefined),
) =>
  signalRun(
    {
      database: fresh.database,
      runLog,
      hashBody: (text) => createHash('sha256').update(text).digest(),
      keys: undefined as never,
      schemas: { check: async () => ({ errors: [], value: undefined }) },
    },
    {
      customerId: 'acme',
      runId,
      requestId: 'req_test',
      by,
      action,
      payload,
      awaitSeq,
      idempotencyKey,
    },
  )

test('a signal takes two statements, with rules for the approval and without', async () => {
  for (const rules of [undefined, { approvers: ['finance'] }, { approvers: ['finance'], approvals: 2 }]) {
    const runId = await waitingRun(rules)
    expect(await countStatements(() => send({ runId }))).toBe(2)
  }
})

test('an answer that was checked against one question never reaches the next one unchecked', async () => {
  const runId = await waitingRun()
  const runLog = new PausedLog(fresh.database, () => undefined)
  runLog.whilePaused = async () => {
    await send({ runId })
    await driver.toAwaiting(toWireId('run', runId), { rules: { approvers: ['finance'] } })
  }
  await expect(send({ runId, by: eve }, runLog)).rejects.toMatchObject({ reason: 'APPROVER_REQUIRED' })
})

test('an answer without await_seq is checked again if another answer came first', async () => {
  const runId = await waitingRun()
  const runLog = new PausedLog(fresh.database, () => undefined)
  runLog.whilePaused = async () => {
    await send({ runId })
    await driver.toAwaiting(toWireId('run', runId), { rules: { approvers: ['finance'], approvals: 2 } })
  }
  await send({ runId }, runLog)
  const [row] = await fresh.database.run({
    text: `select state, json_array_length(votes) as votes from runs where id = $1`,
    values: [runId],
  })
  expect(row).toEqual({ state: 'awaiting_input', votes: 1 })
})

test('an answer under a key that somebody else uses meanwhile is refused, and does not count', async () => {
  const bob = actorOf({ keyId: 'key_bob', person: 'bob', roles: ['finance'], rolesFrom: 'identity' })
  const runId = await waitingRun({ approvers: ['finance'], approvals: 2 })
  const runLog = new PausedLog(fresh.database, () => undefined)
  const answer = { runId, idempotencyKey: 'shared' }
  runLog.whilePaused = () => send(answer)
  const conflict = { reason: 'IDEMPOTENCY_KEY_CONFLICT', message: expect.stringContaining('somebody else') }
  await expect(send({ ...answer, by: bob }, runLog)).rejects.toMatchObject(conflict)
  const [row] = await fresh.database.run({
    text: `select state, json_array_length(votes) as votes from runs where id = $1`,
    values: [runId],
  })
  expect(row).toEqual({ state: 'awaiting_input', votes: 1 })
})

test('a token of a person whose key was revoked decides nothing', async () => {
  await fresh.database.run({
    text: `insert into customers (id) values ('acme') on conflict do nothing`,
  })
  await fresh.database.run({
    text: `insert into api_keys (id, customer_id, scopes, secret_hash, revoked_at)
    values ('key_gone', 'acme', '{runs:signal}', sha256('x'), now())`,
  })
  const runId = await waitingRun({ approvers: ['finance'] })
  const gone = actorOf({ keyId: 'key_gone', person: 'ada', roles: ['finance'], rolesFrom: 'identity' })
  await expect(send({ runId, by: gone })).rejects.toMatchObject({ reason: 'APPROVER_REQUIRED' })
})

describe('a question that needs a recent sign-in', () => {
  const signedIn = (agoMs: number | null) => ({ ...ada, signIn: { agoMs } })
  const rules = { approvers: ['finance'], reauth: true }
  const stateOf = async (runId: string) => {
    const [row] = await fresh.database.run({ text: 'select state from runs where id = $1', values: [runId] })
    return row?.state
  }

  test.each([
    ['five minutes after it', 300_000],
    ['at once, by a clock that is half a minute ahead', -30_000],
  ])('is answered %s', async (_when, agoMs) => {
    const runId = await waitingRun(rules)
    await send({ runId, by: signedIn(agoMs) })
    expect(await stateOf(runId)).not.toBe('awaiting_input')
  })

  test.each([
    ['whose sign-in is older', signedIn(300_001)],
    ['whose sign-in is in the future', signedIn(-30_001)],
    ['whose provider does not say when it was', signedIn(null)],
    ['who has not signed in', ada],
  ])('is not answered by someone %s, and waits on', async (_who, by) => {
    const runId = await waitingRun(rules)
    await expect(send({ runId, by })).rejects.toMatchObject({ reason: 'REAUTH_REQUIRED' })
    expect(await stateOf(runId)).toBe('awaiting_input')
  })

  test('does not ask for it when the answer is for another question', async () => {
    const runId = await waitingRun(rules)
    await expect(send({ runId, awaitSeq: 1 })).rejects.toMatchObject({ reason: 'RUN_NOT_AWAITING_INPUT' })
  })
})
