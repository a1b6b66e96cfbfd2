// `runwright signal`: what the service receives for each of its options, and what the person is told about the answer.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AskedCall } from '../../src/domain/run/asked-call.ts'
import type { NewWait } from '../../src/store/run-log/run-change.ts'
import { environmentOf, ownConnections, Terminal } from '../support/cli.ts'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let caller: Caller
let driver: Driver
const connections = ownConnections()
beforeAll(async () => {
  service = await startService()
  caller = new Caller(service.url, service.key)
  driver = new Driver(service.database)
})
afterAll(async () => {
  await connections.close()
  await service.stop()
})

const pay = (callId: string): AskedCall => ({
  ...{ tool: 'pay', arguments: { amount: 500 }, argumentsHash: 'ab', why: 'Policy asks.', hasRead: [] },
  ...{ callId, idempotencyKey: callId },
})
const unknown: Partial<NewWait> = { reasonCode: 'tool_outcome_unknown', call: pay('call_1') }

async function waiting(wait: Partial<NewWait> = {}) {
  const { id } = await caller.newRun()
  return { id, seq: await driver.toAwaiting(id, wait) }
}

async function signal(args: readonly string[], key = service.key) {
  const pipe = new Terminal(environmentOf({ url: service.url, key }), { isTTY: false })
  await pipe.run('signal', ...args)
  return { out: pipe.output, err: pipe.screen }
}

const signalsOf = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=signals`)).json<{ signals: unknown[] }>().signals

describe('the service receives', () => {
  const others = [{ key: 'two', prompt: null, call: pay('call_2') }]
  const several = [
    { call_id: 'call_1', approve: true },
    { call_id: 'call_2', deny: 'Paid already' },
  ]
  const withForm = { ...unknown, rules: { approval_schema: { type: 'object', required: ['ticket'] } } }
  const text = JSON.stringify

  test.each<[string, string[], Partial<NewWait>, object]>([
    ['a reason to reject', ['reject', '--reason', 'No'], {}, { action: 'reject', payload: { reason: 'No' } }],
    ['the data of an approval', ['approve', '--payload', '[1]'], {}, { action: 'approve', payload: [1] }],
    ['a denial', ['submit', '--deny', 'Paid already'], { call: pay('call_1') }, { call: { deny: 'Paid already' } }],
    [
      'other arguments',
      ['submit', '--arguments', '{"amount":450}'],
      { call: pay('call_1') },
      { call: { arguments: { amount: 450 } } },
    ],
    ['a result', ['submit', '--result', 'null'], { call: pay('call_1') }, { call: { result: null } }],
    ['a failure', ['submit', '--error', 'Declined'], unknown, { payload: null, call: { error: 'Declined' } }],
    [
      'a failure with the data that the question needs',
      ['submit', '--error', 'Declined', '--payload', '{"ticket":7}'],
      withForm,
      { payload: { ticket: 7 }, call: { error: 'Declined' } },
    ],
    ['several calls', ['submit', '--calls', text(several)], { call: pay('call_1'), others }, { calls: several }],
  ])('%s', async (_what, args, wait, received) => {
    const { id } = await waiting(wait)
    await signal([id, ...args])
    expect(await signalsOf(id)).toMatchObject([received])
  })

  test.each([
    [['approve', '--deny', 'No'], '--deny is for submit.'],
    [['submit', '--deny', 'No', '--result', '1'], '--deny and --result exclude each other'],
    [['approve', '--reason', 'No'], '--reason is for reject.'],
    [['submit', '--arguments', '{'], '--arguments'],
    [['submit'], 'submit needs'],
  ])('nothing of %j', async (args, words) => {
    const { id } = await waiting({ call: pay('call_1') })
    await expect(signal([id, ...args])).rejects.toThrow(words)
    expect(await signalsOf(id)).toEqual([])
  })
})

describe('the person is told', () => {
  const twoPeople = { rules: { approvals: 2 } }
  const personWith = async (...scopes: string[]) =>
    (await addPerson({ ...service, admin: caller }, { scopes })).caller.key ?? ''

  test('that the answer was counted, and that the last one ended the wait', async () => {
    const { id } = await waiting(twoPeople)
    const first = await signal([id, 'approve'])
    expect(first.out).toBe('Counted: Pay?\n')
    expect(first.err).toContain('Others must decide, too: 2 people must give the same answer.')
    const last = await signal([id, 'approve'], await personWith('runs:read', 'runs:signal'))
    expect(last.out).toBe('Approved: Pay?\n')
  })

  test('that a denial ended it, whoever else may decide', async () => {
    const { id } = await waiting({ ...twoPeople, call: pay('call_1') })
    expect((await signal([id, 'submit', '--deny', 'No'])).out).toBe('Denied: Pay?\n')
  })

  test.each([[false], [true]])('only that it was sent, if the key cannot read (--await-seq: %s)', async (isNamed) => {
    const { id, seq } = await waiting(twoPeople)
    const { out, err } = await signal(
      [id, 'approve', ...(isNamed ? ['--await-seq', String(seq)] : [])],
      await personWith('runs:signal'),
    )
    expect(out).toBe('Sent.\n')
    expect(err).toContain('Whether others must decide, too, is not known: the run could not be read.')
    expect(await signalsOf(id)).toMatchObject([{ action: 'approve', counted: true }])
  })
})
