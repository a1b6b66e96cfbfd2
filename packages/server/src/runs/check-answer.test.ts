// What a person may decide about a call: the answer is checked against the question that it is for.
import type { AnsweredCall, DecidedCall } from '@runwright/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { Driver } from '../../test/support/drive.ts'
import { newRun } from '../../test/support/new-run.ts'
import type { AskedCall } from '../domain/run/asked-call.ts'
import { toWireId } from '../runtime/ids.ts'
import { RunCreator } from '../store/run-log/run-creator.ts'
import { findSignalTarget } from '../store/runs/signals.ts'
import { checkAnswer } from './check-answer.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const askedCall = (tool: string, required: string): AskedCall => ({
  tool,
  arguments: {},
  argumentsHash: null,
  why: 'It is asked for.',
  hasRead: [],
  callId: `call_${tool}`,
  idempotencyKey: `key_${tool}`,
  schema: { type: 'object', required: [required] },
})

interface Said {
  readonly call?: AnsweredCall
  readonly calls?: readonly DecidedCall[]
}

/** Answers a question about the calls of `pay` and `mail`. */
async function answer(said: Said, reasonCode = 'tool_approval'): Promise<void> {
  const run = newRun({ customerId: 'acme' })
  await new RunCreator(fresh.database, () => undefined).create(run)
  await new Driver(fresh.database).toAwaiting(toWireId('run', run.id), {
    reasonCode,
    call: askedCall('pay', 'cents'),
    others: [{ key: 'other', prompt: null, call: askedCall('mail', 'to') }],
  })
  const target = await findSignalTarget(fresh.database, { customerId: 'acme', id: run.id })
  if (!target) throw new Error('the run does not wait')
  const { call, calls } = said
  await checkAnswer(
    { database: fresh.database, schemas: { check: async ({ schema }, value) => outcomeOf(schema, value) } },
    { customerId: 'acme', runId: run.id, payload: undefined, call, calls, isNo: false },
    target,
  )
}

/** Only `required` is looked at. */
function outcomeOf(schema: string, value: unknown) {
  const { required = [] } = JSON.parse(schema) as { readonly required?: readonly string[] }
  const missing = required.filter((name) => !Object.hasOwn(Object(value), name))
  const errors = missing.map((name) => ({
    ...{ instancePath: '', keyword: 'required', params: {} },
    message: `must have ${name}`,
  }))
  return { errors, value }
}

const refused = (message: string) => ({ reason: 'SIGNAL_PAYLOAD_INVALID', message: expect.stringContaining(message) })

test('each call of a question is edited by the schema of its own tool', async () => {
  await answer({ calls: [{ call_id: 'call_mail', arguments: { to: 'ada' } }] })
  await answer({ call: { arguments: { cents: 5 } } })
  await expect(answer({ calls: [{ call_id: 'call_mail', arguments: { cents: 5 } }] })).rejects.toMatchObject(
    refused('call.arguments does not match the schema of mail: the value must have to'),
  )
  await expect(answer({ call: { arguments: { to: 'ada' } } })).rejects.toMatchObject(
    refused('call.arguments does not match the schema of pay: the value must have cents'),
  )
})

test('a decision about a call that the question does not show is refused', async () => {
  await expect(answer({ calls: [{ call_id: 'call_refund', deny: 'No.' }] })).rejects.toMatchObject(
    refused('calls: the question is not about a call "call_refund".'),
  )
})

test('a call that may have been made is not edited, and one that was not has no error yet', async () => {
  await expect(answer({ call: { arguments: { cents: 5 } } }, 'tool_outcome_unknown')).rejects.toMatchObject(
    refused('call.arguments is not for a call that may have been made'),
  )
  await answer({ call: { error: 'It was not made.' } }, 'tool_outcome_unknown')
  await expect(answer({ call: { error: 'It was not made.' } })).rejects.toMatchObject(
    refused('call.error is only for a run that waits with tool_outcome_unknown'),
  )
})
