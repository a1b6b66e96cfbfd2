// What people can decide about a call beyond yes and no: deny it, change its arguments, say its result. The worker's
// model is a mock provider, so the tests read the very request that a model gets next.
import type { RunDetail } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentBench } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { expectRefusal } from '../support/http.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, say } from '../support/providers/script.ts'

const input = z.strictObject({ to: z.string(), amount: z.number() })
const pay = { ...ownTool({ name: 'pay', effect: 'once' }), policy: 'ask' as const, input }
const note = { ...ownTool({ name: 'note', effect: 'once' }), policy: 'ask' as const }
const free = { ...ownTool({ name: 'free', effect: 'once' }), input }
const page = { ...ownTool({ name: 'page' }), exposureOf: () => ({ readsPrivate: true, takesUntrusted: true }) }
const mail = { ...ownTool({ name: 'mail', effect: 'once' }), exposureOf: () => ({ sendsOut: true }) }

let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ tools: [pay, note, free, page, mail] })
})
afterAll(async () => {
  await agents.stop()
  expect(agents.provider.refusals).toEqual([])
})

const question = { input: { question: 'Pay Ada' }, metadata: {} }
const bill = { to: 'Ada', amount: 500 }
const less = { to: 'Ada', amount: 450 }

const send = (id: string, body: object) => agents.bench.acme.post(`/v1/runs/${id}/signal`, body)
const decide = async (id: string, call: object) => {
  const reply = await send(id, { action: 'submit_input', call })
  expect(reply.status, reply.text).toBe(200)
}
const secondPrompt = () => AgentBench.textOf(agents.asked('worker')[1])

async function waiting(worker = [callTools([{ name: 'pay', args: bill }]), say('Done.')]): Promise<string> {
  agents.script({ worker })
  const id = await agents.bench.create(question)
  await agents.bench.waits(id)
  return id
}

describe('a call that a person denies', () => {
  test('is not made, and the model is told why and goes on', async () => {
    const id = await waiting()
    await decide(id, { deny: 'The credit note is missing' })
    const events = await agents.bench.ended(id)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(pay.callsOf(id)).toEqual([])
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([
      { tool_outcome: 'policy_denied', policy_reason_code: 'denied_by_person' },
    ])
    expect(secondPrompt()).toContain('A person did not allow this call: The credit note is missing')
    expect(secondPrompt()).toContain('The person did not allow the call. It was not made.')
  })
})

describe('a call whose arguments a person changes', () => {
  test('is made with these, and the model, the journal and the record say so', async () => {
    const id = await waiting()
    await decide(id, { arguments: less })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(pay.callsOf(id).map((call) => call.input)).toEqual([less])
    expect(secondPrompt()).toContain('The person changed the arguments of the call. These count instead of yours.')
    expect(secondPrompt()).toMatch(/"amount":\s*450/)
    const [signal] = (await agents.bench.include(id, 'signals')) as NonNullable<RunDetail['signals']>
    expect(signal).toMatchObject({ key_id: 'key_acme', asked: { arguments: bill }, call: { arguments: less } })
    const rows = await agents.bench.service.database.query<{ body: string }>({
      text: "select body::text from journal where key like 'call:%' and body->>'effect' = 'once' order by key desc limit 1",
    })
    expect(JSON.parse(rows[0]?.body ?? '{}')).toMatchObject({ name: 'pay', edited: less })
  })

  test('is refused at once if they do not match the schema of the tool', async () => {
    const id = await waiting()
    const refused = await send(id, { action: 'submit_input', call: { arguments: { to: 'Ada', amount: 'much' } } })
    expectRefusal(refused, 400, 'SIGNAL_PAYLOAD_INVALID')
    expect(refused.text).toContain('amount must be number')
    await decide(id, { arguments: less })
    await agents.bench.ended(id)
    expect(pay.callsOf(id).map((call) => call.input)).toEqual([less])
  })
})

test('a result that a person gives counts as that of the call, which is not made', async () => {
  const id = await waiting()
  await decide(id, { result: { receipt: 'R-7' } })
  const events = await agents.bench.ended(id)
  expect(pay.callsOf(id)).toEqual([])
  expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ tool_outcome: 'succeeded' }])
  expect(secondPrompt()).toContain('R-7')
  expect(secondPrompt()).toContain('The person gave the result of the call. It was not made.')
})

describe('what a person says became of a call is known to later steps', () => {
  const tell = { id: 'tell', instruction: 'Tell what was paid' }
  const receipt = '<data name="result that the person gave">\n{"receipt":"R-7"}\n</data>'
  /** The prompt of the step after the one whose call was decided. */
  const nextPrompt = async (first: object, worker: NonNullable<Parameters<typeof waiting>[0]>) => {
    agents.script({ worker })
    const id = await agents.bench.create(planned([first, tell] as never))
    await agents.bench.waits(id)
    await decide(id, { result: { receipt: 'R-7' } })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect([pay, free].flatMap((tool) => tool.callsOf(id))).toEqual([])
    return AgentBench.textOf(agents.asked('worker').at(-1))
  }

  test('that a model made, although its step does not repeat it', async () => {
    const paying = [callTools([{ name: 'pay', args: bill }]), say('Paid.'), say('Told.')]
    const text = await nextPrompt({ id: 'pay', instruction: 'Pay Ada' }, paying)
    expect(text).toContain(`The person gave the result of the call. It was not made.\n${receipt}`)
  })

  test('that the plan makes, once: as the result of its step', async () => {
    const text = await nextPrompt({ id: 'pay', tool: 'free', input: bill, approval: 'required' }, [say('Told.')])
    expect(text).toContain('It was not made.')
    expect(text.split('R-7')).toHaveLength(2)
  })
})

test('all questions of one turn are answered at once', async () => {
  const calls = [
    { name: 'pay', args: bill },
    { name: 'note', args: { text: 'one' } },
    { name: 'note', args: { text: 'two' } },
  ]
  const id = await waiting([callTools(calls), say('Done.')])
  const wait = (await agents.bench.include(id, 'awaiting_input')) as NonNullable<RunDetail['awaiting_input']>
  expect(wait.calls?.map(({ tool }) => tool)).toEqual(['pay', 'note', 'note'])
  const [first, second, third] = (wait.calls ?? []).map(({ call_id }) => call_id)
  const decisions = [
    { call_id: first, arguments: less },
    { call_id: second, approve: true },
    { call_id: third, deny: 'No second note' },
  ]
  expect((await send(id, { action: 'submit_input', await_seq: wait.seq, calls: decisions })).status).toBe(200)
  const events = await agents.bench.ended(id)
  expect(outline(events).at(-1)).toBe('succeeded')
  expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
  expect(pay.callsOf(id).map((call) => call.input)).toEqual([less])
  expect(note.callsOf(id).map((call) => call.input)).toEqual([{ text: 'one' }])
  const asked = (tool: string, args: object) =>
    `A person was asked: ${JSON.stringify(`Call ${tool}? Asked because policy requires approval for this tool. Arguments: ${JSON.stringify(args)}`)}.`
  const told = secondPrompt()
  expect(told).toContain(`${asked('pay', bill)} The person changed the arguments of the call.`)
  expect(told).toContain(`${asked('note', { text: 'one' })} The person approved it.`)
  expect(told).toContain(`${asked('note', { text: 'two' })} The person did not allow the call. It was not made.`)
  expect(told.split('A person was asked')).toHaveLength(4)
  expect(told).toContain('No second note')
})

test('an edit of one of several calls is approved for the reason for which that call was asked about', async () => {
  const reading = callTools([{ name: 'page', args: {} }])
  const both = callTools([
    { name: 'pay', args: bill },
    { name: 'mail', args: { text: 'Dear Ada' } },
  ])
  const id = await waiting([reading, both, say('Done.')])
  const wait = (await agents.bench.include(id, 'awaiting_input')) as NonNullable<RunDetail['awaiting_input']>
  expect(wait.calls?.map(({ tool, why }) => [tool, why])).toEqual([
    ['pay', 'Policy requires approval for this tool.'],
    ['mail', 'The run has read private data and untrusted text, and this call sends data out.'],
  ])
  const [first, second] = (wait.calls ?? []).map(({ call_id }) => call_id)
  const edited = { call_id: second, arguments: { text: 'Dear Bob' } }
  await send(id, { action: 'submit_input', calls: [{ call_id: first, approve: true }, edited] })
  expect(ofType(await agents.bench.ended(id), 'run.awaiting_input')).toHaveLength(1)
  expect(mail.callsOf(id).map((call) => call.input)).toEqual([{ text: 'Dear Bob' }])
})

test('questions that an answer leaves out are asked again', async () => {
  const calls = [
    { name: 'pay', args: bill },
    { name: 'note', args: { text: 'one' } },
  ]
  const id = await waiting([callTools(calls), say('Done.')])
  const wait = (await agents.bench.include(id, 'awaiting_input')) as NonNullable<RunDetail['awaiting_input']>
  const second = wait.calls?.[1]?.call_id
  await send(id, { action: 'submit_input', calls: [{ call_id: second, deny: 'No' }] })
  await agents.bench.waits(id, 2)
  expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ tool: 'pay', calls: [{ tool: 'pay' }] })
  await send(id, { action: 'approve' })
  await agents.bench.ended(id)
  expect(pay.callsOf(id).map((call) => call.input)).toEqual([bill])
  expect(note.callsOf(id)).toEqual([])
})

describe('a call that repeats another one of its turn', () => {
  const two = (first: object, second: object) => [
    callTools([
      { name: 'pay', args: first },
      { name: 'pay', args: second },
    ]),
    say('Done.'),
  ]
  const waitOf = async (id: string) =>
    (await agents.bench.include(id, 'awaiting_input')) as NonNullable<RunDetail['awaiting_input']>
  const idsOf = async (id: string) => ((await waitOf(id)).calls ?? []).map(({ call_id }) => call_id)
  const decideAll = async (id: string, calls: readonly object[]) => {
    const reply = await send(id, { action: 'submit_input', calls })
    expect(reply.status, reply.text).toBe(200)
  }
  const made = (id: string) => pay.callsOf(id).map((call) => call.input)
  const outcomes = async (id: string) =>
    ofType(await agents.bench.ended(id), 'run.tool.invoked').map(({ tool_outcome }) => tool_outcome)

  test('is not asked about and not made, and the model and the readers of events learn that', async () => {
    const id = await waiting(two(bill, bill))
    expect(await idsOf(id)).toHaveLength(1)
    await send(id, { action: 'approve' })
    expect(await outcomes(id)).toEqual(['succeeded', 'failed'])
    expect(made(id)).toEqual([bill])
    expect(secondPrompt()).toContain('This call repeats the call')
  })

  test.each([
    ['denied', { deny: 'Not this one' }, [bill]],
    ['changed', { arguments: less }, [less, bill]],
    ['given a result', { result: { receipt: 'R-7' } }, [bill]],
  ])('is asked about once the first one was %s, and made if it is approved', async (_, call, inputs) => {
    const id = await waiting(two(bill, bill))
    await decide(id, call)
    await agents.bench.waits(id, 2)
    expect(await waitOf(id)).toMatchObject({ tool: 'pay', arguments: bill })
    await send(id, { action: 'approve' })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(made(id)).toEqual(inputs)
  })

  test('because a person has changed the other one is made if it was approved itself', async () => {
    const id = await waiting(two(bill, less))
    const [first, second] = await idsOf(id)
    await decideAll(id, [
      { call_id: first, arguments: less },
      { call_id: second, approve: true },
    ])
    expect(await outcomes(id)).toEqual(['succeeded', 'succeeded'])
    expect(made(id)).toEqual([less, less])
  })

  test('because a person has changed the other one is not made if nobody has approved it', async () => {
    const id = await waiting(two(bill, less))
    const [first] = await idsOf(id)
    await decideAll(id, [{ call_id: first, arguments: less }])
    expect(await outcomes(id)).toEqual(['succeeded', 'failed'])
    expect(made(id)).toEqual([less])
  })
})

describe('the call of a step that the plan holds', () => {
  const step = { id: 'pay', tool: 'free', input: bill, approval: 'required' as const }

  test('is made with the arguments of the person', async () => {
    const id = await agents.bench.create(planned([step]))
    await agents.bench.waits(id)
    await decide(id, { arguments: less })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(free.callsOf(id).map((call) => call.input)).toEqual([less])
  })

  test('is not made if it is denied, and the run says so', async () => {
    const id = await agents.bench.create(planned([step]))
    await agents.bench.waits(id)
    await decide(id, { deny: 'Too dear' })
    const events = await agents.bench.ended(id)
    expect(outline(events).at(-1)).toBe('failed tool_failed')
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ policy_reason_code: 'denied_by_person' }])
    expect(ofType(events, 'step.done').at(-1)).toMatchObject({ content: expect.stringContaining('Too dear') })
    expect(free.callsOf(id)).toEqual([])
  })
})

describe('the call of a step whose input has the payload of the answer', () => {
  const approval_schema = { type: 'object', required: ['centre'] }
  const step = (approval: unknown = 'required') => ({
    id: 'pay',
    tool: 'free',
    input: { to: '{{signal.payload}}', amount: 500 },
    approval,
  })
  const decided = async (body: object, approval?: unknown) => {
    const id = await agents.bench.create(planned([step(approval) as never]))
    await agents.bench.waits(id)
    const reply = await send(id, body)
    expect(reply.status, reply.text).toBe(200)
    return id
  }
  const made = (id: string) => free.callsOf(id).map((call) => call.input)

  test('is not made if it is denied: the run says why, and a retry asks again', async () => {
    const id = await decided({ action: 'submit_input', call: { deny: 'Too dear' } })
    const events = await agents.bench.ended(id)
    expect(outline(events).at(-1)).toBe('failed tool_failed')
    expect(ofType(events, 'run.tool.invoked')).toMatchObject([{ policy_reason_code: 'denied_by_person' }])
    expect(ofType(events, 'step.done').at(-1)).toMatchObject({ content: expect.stringContaining('Too dear') })
    await agents.bench.command(id, 'retry')
    await agents.bench.waits(id, 2)
    await send(id, { action: 'submit_input', payload: 'Bob' })
    await agents.bench.ended(id, 2)
    expect(made(id)).toEqual([{ to: 'Bob', amount: 500 }])
  })

  test('is made with the arguments of the person, as they are', async () => {
    const id = await decided({ action: 'submit_input', call: { arguments: less } })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(made(id)).toEqual([less])
  })

  test.each([
    ['the payload of an answer', { to: '{{signal.payload}}', amount: 450 }, '{{signal.payload}}'],
    ['a part of the input', { to: 'IBAN {{ input.iban }}', amount: 450 }, '{{ input.iban }}'],
    ['a result of a step', { to: '{{steps.a.output.to}}', amount: 450 }, '{{steps.a.output.to}}'],
  ])('is not changed to one with a template for %s', async (_, args, template) => {
    const id = await agents.bench.create(planned([step() as never]))
    await agents.bench.waits(id)
    const refused = await send(id, { action: 'submit_input', call: { arguments: args } })
    expectRefusal(refused, 400, 'SIGNAL_PAYLOAD_INVALID')
    expect(refused.text).toContain(`call.arguments contains ${template}. Templates are not filled in there`)
    await send(id, { action: 'submit_input', call: { arguments: { to: '{{first_name}}', amount: 450 } } })
    await agents.bench.ended(id)
    expect(made(id)).toEqual([{ to: '{{first_name}}', amount: 450 }])
  })

  test('has the result that a person gives, also beside a payload that the question needs', async () => {
    const call = { result: { receipt: 'R-7' } }
    const id = await decided({ action: 'submit_input', call, payload: { centre: 1 } }, { approval_schema })
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    expect(await agents.bench.include(id, 'output')).toEqual({ receipt: 'R-7' })
    expect(made(id)).toEqual([])
  })

  test('has the payload of an approval', async () => {
    const id = await decided({ action: 'approve', payload: 'Bob' })
    await agents.bench.ended(id)
    expect(made(id)).toEqual([{ to: 'Bob', amount: 500 }])
  })
})

describe('refused', () => {
  test('without a question about a call', async () => {
    const id = await agents.bench.create(planned([{ await_input: {} }]))
    await agents.bench.waits(id)
    for (const body of [{ call: { deny: 'no' } }, { calls: [{ call_id: 'call_x', approve: true }] }])
      expectRefusal(await send(id, { action: 'submit_input', ...body }), 400, 'SIGNAL_PAYLOAD_INVALID')
    await agents.bench.signal(id, 'approve')
    await agents.bench.ended(id)
  })

  test.each([
    ['an error of a call that was not made', { call: { error: 'It failed' } }],
    ['a denial without a reason', { call: { deny: ' ' } }],
    ['two decisions at once', { call: { deny: 'No', arguments: less } }],
    ['no decision', { call: {} }],
    ['a call that is not asked about', { calls: [{ call_id: 'call_x', approve: true }] }],
    ['call and calls', { call: { deny: 'No' }, calls: [{ call_id: 'call_x', approve: true }] }],
    ['a payload beside the call', { call: { deny: 'No' }, payload: 1 }],
  ])('%s', async (_, body) => {
    const id = await waiting()
    expectRefusal(await send(id, { action: 'submit_input', ...body }), 400, 'SIGNAL_PAYLOAD_INVALID')
    expectRefusal(await send(id, { action: 'approve', call: { deny: 'No' } }), 400, 'SIGNAL_PAYLOAD_INVALID')
    await decide(id, { deny: 'No' })
    await agents.bench.ended(id)
  })
})
