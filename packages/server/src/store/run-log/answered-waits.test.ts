// Which changes an answer makes to a run that waits, by who answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { Driver } from '../../../test/support/drive.ts'
import { newRun } from '../../../test/support/new-run.ts'
import { fromWireId, toWireId } from '../../runtime/ids.ts'
import type { RunChange } from './run-change.ts'
import { RunCreator } from './run-creator.ts'

let fresh: FreshDatabase
let driver: Driver
beforeAll(async () => {
  fresh = await freshDatabase()
  driver = new Driver(fresh.database)
})
afterAll(() => fresh.drop())

async function waitingRun(approvers?: string[]) {
  const run = newRun({})
  await new RunCreator(fresh.database, () => undefined).create(run)
  const id = toWireId('run', run.id)
  return { id, awaitSeq: await driver.toAwaiting(id, approvers && { rules: { approvers } }) }
}

const approve = (awaitSeq: number) =>
  ({
    trigger: 'approve',
    readyInMs: 0,
    awaitSeq,
    signal: {
      idempotencyKey: null,
      bodyHash: Buffer.alloc(32),
      action: 'approve',
      payload: null,
      by: { keyId: 'key_1', keyName: 'a\0b', person: 'c\0d', roles: [], rolesFrom: 'key', via: 'api' },
      answerHash: Buffer.alloc(32),
      isNo: false,
      mayBeCounted: true,
    },
  }) as const satisfies Partial<RunChange>

const finance = ['role:finance']

test('an answer of a person who may not decide is refused', async () => {
  const { id, awaitSeq } = await waitingRun(finance)
  await expect(driver.apply(id, approve(awaitSeq))).rejects.toThrow('not_approver')
  await expect(driver.apply(id, approve(awaitSeq - 1))).rejects.toThrow('other_wait')
})

test('a change that is no answer ends the wait, whoever may decide', async () => {
  const { id } = await waitingRun(finance)
  const event = { type: 'run.cancelled', payload: { to_status: 'cancelled' }, terminal: true } as const
  await driver.apply(id, { trigger: 'cancel', events: [event] })
})

test('without rules, an answer counts, and is stored with names that PostgreSQL can store', async () => {
  const { id, awaitSeq } = await waitingRun()
  await driver.apply(id, approve(awaitSeq))
  const text = 'select key_name, person from signals where run_id = $1'
  const stored = await fresh.database.query({ text, values: [fromWireId('run', id)] })
  expect(stored).toEqual([{ key_name: 'a\ufffdb', person: 'c\ufffdd' }])
})
