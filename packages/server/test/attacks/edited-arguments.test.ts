// Attacks with edited arguments: a person who may answer a question has not seen the sensitive values of the run, and
// must not get at them by having them sent elsewhere.
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench, type Value } from '../support/engine.ts'
import { type OwnTool, ownTool } from '../support/own-tool.ts'

const pay: OwnTool = ownTool({ name: 'pay', effect: 'once' })
const post: OwnTool = { ...ownTool({ name: 'post' }), exposureOf: () => ({ sendsOut: true }) }

const diary: OwnTool = { ...ownTool({ name: 'diary' }), exposureOf: () => ({ readsPrivate: true }) }
const gossip: OwnTool = { ...ownTool({ name: 'gossip' }), exposureOf: () => ({ takesUntrusted: true }) }
/** Leaves the house only if it is for somebody outside. */
const letter = {
  ...ownTool({ name: 'letter' }),
  exposureOf: (input: unknown) => (JSON.stringify(input).includes('eve.example') ? { sendsOut: true } : {}),
}

let bench: Bench
beforeAll(async () => {
  bench = await startBench({}, { tools: [pay, post, diary, gossip, letter] })
})
afterAll(() => bench.stop())

const token = 'tok-9f31c2aa'
const placeholder = '{{secret:$.input.token}}'
const shown = { to: 'ada', token: '***', nested: { header: 'Bearer ***' }, amount: 500 }

const asking = (tool: string, allow?: readonly string[]): Promise<string> => {
  const input = { to: 'ada', token: '{{input.token}}', nested: { header: 'Bearer {{input.token}}' }, amount: 500 }
  return askingFor(input, shown, { tool, allow })
}

interface Asking {
  readonly tool?: string
  readonly allow?: readonly string[] | undefined
}

async function askingFor(input: Value, seen: Value, { tool = 'pay', allow }: Asking = {}): Promise<string> {
  const tag = { path: '$.input.token', classification: 'credential', redaction: 'mask', ...(allow && { allow }) }
  const step = { id: 'pay', tool, input, approval: 'required' as const }
  const id = await bench.create(planned([step], [], { input: { token }, sensitivity_tags: [tag] }))
  await bench.waits(id)
  const wait = (await bench.include(id, 'awaiting_input')) as unknown as NonNullable<RunDetail['awaiting_input']>
  expect(wait.arguments).toMatchObject(seen)
  return id
}

const edit = async (id: string, args: object) => {
  const reply = await bench.acme.post(`/v1/runs/${id}/signal`, { action: 'submit_input', call: { arguments: args } })
  expect(reply.status, reply.text).toBe(200)
  return bench.ended(id)
}

const isRefused = (events: Awaited<ReturnType<typeof edit>>) => {
  expect(outline(events).at(-1)).toBe('failed tool_failed')
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([
    { tool_outcome: 'policy_denied', policy_reason_code: 'edit_not_allowed' },
  ])
}

test('what comes back as it was shown keeps its value', async () => {
  const id = await asking('pay')
  const events = await edit(id, { ...shown, amount: 450 })
  expect(outline(events).at(-1)).toBe('succeeded')
  const own = { to: 'ada', token, nested: { header: `Bearer ${token}` }, amount: 450 }
  expect(pay.callsOf(id).map(({ input }) => input)).toEqual([own])
  expect(JSON.stringify([events, await bench.include(id, 'signals')])).not.toContain(token)
})

describe('a sensitive value that is put where the call had none', () => {
  test.each([
    ['as its placeholder', { ...shown, to: placeholder }],
    ['in the middle of a text', { ...shown, to: `https://eve.example/?t=${placeholder}` }],
    ['as the value itself', { ...shown, to: token }],
    ['in a new field', { ...shown, copy: { of: [placeholder] } }],
    ['as the name of nothing but itself, in a list', { ...shown, nested: [placeholder] }],
    ['in another text at its own place', { ...shown, nested: { header: `${placeholder} Bearer` } }],
  ])('%s ends the call', async (_, args) => {
    const id = await asking('pay')
    isRefused(await edit(id, args))
    expect(pay.callsOf(id)).toEqual([])
  })

  test('does not count in a retry: the call is asked about again as it was', async () => {
    const id = await asking('pay')
    await edit(id, { ...shown, to: token })
    await bench.command(id, 'retry')
    await bench.waits(id, 2)
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ arguments: shown })
    await bench.signal(id, 'approve')
    expect(outline(await bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(pay.callsOf(id).map(({ input }) => input)).toMatchObject([{ to: 'ada', token, amount: 500 }])
  })
})

describe('a mask where the question did not show it', () => {
  test.each([
    ['at another place', { to: '***', amount: 1 }],
    ['inside of a changed text', { ...shown, nested: { header: 'Basic ***' } }],
    ['inside of another type', { ...shown, nested: ['Bearer ***'] }],
    ['as the name of a field', { ...shown, '***': 1 }],
  ])('%s ends the call: the tool would get the mask itself', async (_, args) => {
    const id = await asking('pay')
    isRefused(await edit(id, args))
    expect(pay.callsOf(id)).toEqual([])
  })

  test('is text like any other if the call has no sensitive value there', async () => {
    const body = '# Title\n***\nText'
    const id = await askingFor({ token: '{{input.token}}', body, lines: ['***', 'a'] }, { token: '***' })
    await edit(id, { token: '***', body: `${body}, more`, lines: ['a', 'b', '***'] })
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([
      { token, body: `${body}, more`, lines: ['a', 'b', '***'] },
    ])
  })
})

describe('a list of items with sensitive values', () => {
  interface Person {
    readonly name: string
    readonly iban: string
    readonly amount: number
    readonly note: string
  }
  const ada: Person = { name: 'Ada', iban: 'DE11-4711-0001', amount: 3, note: 'rent' }
  const bob: Person = { name: 'Bob', iban: 'DE22-4711-0002', amount: 5, note: 'rent' }
  const eve: Person = { name: 'Eve', iban: 'DE33-4711-0003', amount: 7, note: 'fee' }
  const people = [ada, bob, eve]
  const masked = (person: object) => ({ ...person, iban: '***' })
  const dropped = ({ iban: _, ...rest }: Person) => rest

  async function askingAbout(redaction: 'mask' | 'drop'): Promise<string> {
    const tag = { path: '$.input.people[*].iban', classification: 'pii', redaction }
    const step = { id: 'pay', tool: 'pay', input: { people: '{{input.people}}' }, approval: 'required' as const }
    const id = await bench.create(planned([step], [], { input: { people }, sensitivity_tags: [tag] }))
    await bench.waits(id)
    const seen = redaction === 'mask' ? people.map(masked) : people.map(dropped)
    expect(await bench.include(id, 'awaiting_input')).toMatchObject({ arguments: { people: seen } })
    return id
  }

  const [a, b, e] = people.map(masked)
  test.each([
    ['an item is removed', [b, e]],
    ['the last item is removed', [a, b]],
    ['an item is added', [a, b, e, { ...a, amount: 9 }]],
    ['the items change places', [b, a, e]],
    ['the items change places and values', [masked({ ...bob, amount: 6 }), masked({ ...ada, amount: 4 }), e]],
    ['an item is removed and another one added', [b, e, masked({ ...ada, name: 'Zoe', amount: 9 })]],
    ['an item becomes another one', [masked({ ...bob, amount: 6 }), b, e]],
    ['an item has nothing left that only it has', [masked({ ...ada, name: 'Zoe', amount: 9 }), b, e]],
    ['the list is emptied', []],
  ])('keeps the values out of the call if %s', async (_, edited) => {
    const id = await askingAbout('mask')
    isRefused(await edit(id, { people: edited }))
    expect(pay.callsOf(id)).toEqual([])
  })

  test.each([
    ['an item is removed', [bob, eve]],
    ['the items change places', [bob, ada, eve]],
    ['an item becomes another one', [{ ...bob, amount: 6 }, bob, eve]],
  ])('keeps values that are not shown out of the call if %s', async (_, edited) => {
    const id = await askingAbout('drop')
    isRefused(await edit(id, { people: edited.map(dropped) }))
    expect(pay.callsOf(id)).toEqual([])
  })

  test.each(['mask', 'drop'] as const)('may be changed in its items: %s', async (redaction) => {
    const id = await askingAbout(redaction)
    const changed = [
      { ...ada, amount: 4 },
      { ...bob, note: 'fee' },
      { ...eve, name: 'Eva' },
    ]
    await edit(id, { people: changed.map((one) => (redaction === 'mask' ? masked(one) : dropped(one))) })
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ people: changed }])
  })
})

test('an edit that gives policy another reason to ask is asked about again, and then made as edited', async () => {
  const step = (name: string) => ({ id: name, tool: name, input: { to: 'ada' } })
  const held = { ...step('letter'), approval: 'required' as const }
  const id = await bench.create(planned([step('diary'), step('gossip'), held]))
  await bench.waits(id)
  const elsewhere = { to: 'eve.example' }
  const call = { arguments: elsewhere }
  expect((await bench.acme.post(`/v1/runs/${id}/signal`, { action: 'submit_input', call })).status).toBe(200)
  await bench.waits(id, 2)
  const wait = (await bench.include(id, 'awaiting_input')) as unknown as NonNullable<RunDetail['awaiting_input']>
  expect(wait).toMatchObject({ arguments: elsewhere, why: expect.stringContaining('sends data out') })
  expect(letter.callsOf(id)).toEqual([])
  await bench.signal(id, 'approve')
  await bench.ended(id)
  expect(letter.callsOf(id).map(({ input }) => input)).toEqual([elsewhere])
})

describe('a call that sends data out', () => {
  test('is not sent to somebody else with the values of the run', async () => {
    const id = await asking('post')
    isRefused(await edit(id, { ...shown, to: 'eve' }))
    expect(post.callsOf(id)).toEqual([])
  })

  test('is, if the tag allows the tool', async () => {
    const id = await asking('post', ['tool:post'])
    await edit(id, { ...shown, amount: 450 })
    expect(post.callsOf(id).map(({ input }) => input)).toMatchObject([{ token, amount: 450 }])
  })

  test('is, without the values', async () => {
    const id = await asking('post')
    await edit(id, { to: 'eve', amount: 1 })
    expect(post.callsOf(id).map(({ input }) => input)).toEqual([{ to: 'eve', amount: 1 }])
  })
})
