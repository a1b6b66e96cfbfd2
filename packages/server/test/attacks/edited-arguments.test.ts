// Attacks with edited arguments: a person who may answer a question has not seen the sensitive values of the run, and
// must not get at them by having them sent elsewhere.
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, ofType, outline, planned, startBench } from '../support/engine.ts'
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

async function asking(tool: string, allow?: readonly string[]): Promise<string> {
  const input = { to: 'ada', token: '{{input.token}}', nested: { header: 'Bearer {{input.token}}' }, amount: 500 }
  const tag = { path: '$.input.token', classification: 'credential', redaction: 'mask', ...(allow && { allow }) }
  const step = { id: 'pay', tool, input, approval: 'required' as const }
  const id = await bench.create(planned([step], [], { input: { token }, sensitivity_tags: [tag] }))
  await bench.waits(id)
  const wait = (await bench.include(id, 'awaiting_input')) as unknown as NonNullable<RunDetail['awaiting_input']>
  expect(wait.arguments).toEqual(shown)
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

  test('as its mask is only the mask', async () => {
    const id = await asking('pay')
    await edit(id, { to: '***', amount: 1 })
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ to: '***', amount: 1 }])
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
