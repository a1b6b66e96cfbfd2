// A question at a terminal that is more than yes or no: it needs data, asks several people, or is about several calls.
// No worker runs here, so each run stays as its test has put it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/cli/output/command-line.ts'
import type { AskedCall } from '../../src/domain/run/asked-call.ts'
import type { NewWait } from '../../src/store/run-log/run-change.ts'
import { environmentOf, ownConnections, Terminal } from '../support/cli.ts'
import { Driver } from '../support/drive.ts'
import { Caller } from '../support/http.ts'
import { addPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const timeout = 60_000

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

const pay = (callId: string, change: Partial<AskedCall> = {}): AskedCall => ({
  ...{ tool: 'pay', arguments: { amount: 500 }, argumentsHash: 'ab', why: 'Policy asks.', hasRead: [] },
  ...{ callId, idempotencyKey: callId },
  ...change,
})
const form = { approval_schema: { type: 'object', required: ['ticket'] } }
const wantsForm = 'JSON that matches the schema above: '

async function waiting(wait: Partial<NewWait>) {
  const { id } = await caller.newRun()
  return { id, seq: await driver.toAwaiting(id, wait) }
}

/** A terminal at the question of a run. */
async function watch(id: string, { key = service.key, ...env }: Record<string, string> = {}) {
  const terminal = new Terminal({ ...environmentOf({ url: service.url, key }), ...env })
  const code = terminal.run('watch', id)
  await terminal.sees(/or \[s\]ubmit \w+( \w+)?: /)
  return { terminal, code }
}

const signalsOf = async (id: string) =>
  (await caller.get(`/v1/runs/${id}?include=signals`)).json<{ signals: unknown[] }>().signals

describe('a question with a schema asks for its data', { timeout }, () => {
  const call = pay('call_1')
  const unknown = { reasonCode: 'tool_outcome_unknown', call, rules: form }
  const editor = { EDITOR: 'sed -i s/500/450/', VISUAL: '' }

  test.each<[string, Partial<NewWait>, [string, string][], object]>([
    ['an approval', { call, rules: form }, [['a', wantsForm]], { action: 'approve', call: null }],
    ['an input', { rules: form }, [['s', wantsForm]], { action: 'submit_input', call: null }],
    [
      'edited arguments',
      { call, rules: form },
      [
        ['e', 'Make the call with these?'],
        ['y', wantsForm],
      ],
      { call: { arguments: { amount: 450 } } },
    ],
    [
      'a call that failed',
      unknown,
      [
        ['f', 'What failed: '],
        ['Declined', wantsForm],
      ],
      { call: { error: 'Declined' } },
    ],
    [
      'the result of a call',
      unknown,
      [
        ['s', 'Its result (JSON or text): '],
        ['{"paid":true}', wantsForm],
      ],
      { call: { result: { paid: true } } },
    ],
  ])('with %s', async (_what, wait, dialogue, received) => {
    const { id } = await waiting(wait)
    const { terminal, code } = await watch(id, editor)
    expect(terminal.screen).toMatch(/needs JSON that matches:\n[\s\S]*"ticket"/)
    for (const [typed, seen] of dialogue) {
      terminal.type(`${typed}\r`)
      await terminal.sees(seen)
    }
    terminal.type('{"ticket":7}\r')
    await terminal.sees('✓')
    expect(await signalsOf(id)).toMatchObject([{ ...received, payload: { ticket: 7 } }])
    await driver.toSucceeded(id)
    expect(await code).toBe(0)
  })

  test('but not with a denial', async () => {
    const { id } = await waiting({ call, rules: form })
    const { terminal, code } = await watch(id)
    terminal.type('d\r')
    await terminal.sees('Why not: ')
    terminal.type('Paid already\r')
    await terminal.sees('✓ Denied')
    expect(await signalsOf(id)).toMatchObject([{ payload: null, call: { deny: 'Paid already' } }])
    await driver.toSucceeded(id)
    expect(await code).toBe(0)
  })
})

describe('of two people', { timeout }, () => {
  const bobsKey = async () => (await addPerson({ ...service, admin: caller }, { person: 'bob' })).caller.key ?? ''

  test('the first is told that the answer was counted, and the last is not', async () => {
    const { id } = await waiting({ rules: { approvals: 2 } })
    const first = await watch(id)
    first.terminal.type('a\r')
    await first.terminal.sees('Counted. Others must decide, too: 2 people must give the same answer.')
    const last = await watch(id, { key: await bobsKey() })
    last.terminal.type('a\r')
    await last.terminal.sees('✓ Approved by bob')
    await driver.toSucceeded(id)
    expect([await first.code, await last.code]).toEqual([0, 0])
    expect(last.terminal.screen).not.toContain('Counted')
  })

  test('the second sees the data of the first, which theirs must equal', async () => {
    const { id } = await waiting({ rules: { approvals: 2, ...form } })
    await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', payload: { ticket: 7 } })
    const { terminal, code } = await watch(id, { key: await bobsKey() })
    expect(terminal.screen).toContain(`approve with {"ticket":7}`)
    await caller.post(`/v1/runs/${id}/cancel`)
    expect(await code).toBe(3)
  })
})

describe('about several calls', { timeout }, () => {
  test('shows each, and how to answer them at once', async () => {
    const other = { tool: 'mail', arguments: { to: 'ada' }, why: 'It sends data out.' }
    const others = [{ key: 'two', prompt: null, call: pay('call_2', other) }]
    const { id, seq } = await waiting({ call: pay('call_1'), others })
    const { terminal, code } = await watch(id)
    expect(terminal.screen).toMatch(/Tool: pay[\s\S]*"amount": 500[\s\S]*Tool: mail[\s\S]*"to": "ada"/)
    expect(terminal.screen).toContain('Why: It sends data out.')
    const calls = [
      { call_id: 'call_1', approve: true },
      { call_id: 'call_2', approve: true },
    ]
    expect(terminal.screen).toContain(
      commandLine(`signal ${id} submit --calls '${JSON.stringify(calls)}' --await-seq ${seq}`),
    )
    await caller.post(`/v1/runs/${id}/cancel`)
    expect(await code).toBe(3)
  })
})

test('only a person who signs in can answer: the terminal does not ask', { timeout }, async () => {
  const { id } = await waiting({ rules: { reauth: true } })
  const terminal = new Terminal(environmentOf(service))
  const code = terminal.run('watch', id)
  await terminal.sees(`Answer in the console: ${commandLine(`open ${id}`)}`)
  expect(terminal.screen).not.toContain('[a]pprove')
  await caller.post(`/v1/runs/${id}/cancel`)
  expect(await code).toBe(3)
})

test('arguments that the answer fills in cannot be edited', { timeout }, async () => {
  const call = pay('call_1', { argumentsHash: null, arguments: { amount: '{{signal.payload}}' } })
  const { id } = await waiting({ call })
  const { terminal, code } = await watch(id)
  expect(terminal.screen).toContain('[a]pprove, [d]eny, [r]eject')
  expect(terminal.screen).toContain('They are shown as written in the plan, and filled in after your answer')
  terminal.type('e\r')
  await terminal.sees(/ubmit input: [\s\S]*ubmit input: /)
  await caller.post(`/v1/runs/${id}/cancel`)
  expect(await code).toBe(3)
})
