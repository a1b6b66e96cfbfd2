// What people have decided about a call stays decided: in a retry, in a fork, and in a replay. The call is neither made
// nor asked about again, and the model reads the same as before.
import { randomBytes } from 'node:crypto'
import type { CreatedRun } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { replayCommand } from '../../src/cli/admin/replay.ts'
import { fromWireId } from '../../src/runtime/ids.ts'
import { SealingKeys } from '../../src/store/sealed/sealing-keys.ts'
import { builtInTools } from '../../src/tools/built-in/built-in-tools.ts'
import { type Tool, type ToolEffect, ToolTimeout } from '../../src/tools/port/tool.ts'
import { AgentBench, verdict } from '../support/agents.ts'
import { ofType, outline, planned } from '../support/engine.ts'
import { ownTool } from '../support/own-tool.ts'
import { callTools, fail, say } from '../support/providers/script.ts'

const input = z.strictObject({ to: z.string(), amount: z.number() })
const pay = { ...ownTool({ name: 'pay', effect: 'once' }), policy: 'ask' as const, input }
const free = { ...ownTool({ name: 'free', effect: 'once' }), input }
/** Fails once. */
function failing(
  name: string,
  effect: ToolEffect,
  error = new Error('Not now'),
): Tool & { readonly inputs: unknown[] } {
  const inputs: unknown[] = []
  const run = async (given: unknown) => {
    if (inputs.push(given) === 1) throw error
    return given
  }
  return { ...ownTool({ name, effect }), run, inputs }
}
const late = failing('late', 'read')
const unsure = failing('unsure', 'once')
const slow = failing('slow', 'once', new ToolTimeout('Too late'))
const tools = [pay, free, late, unsure, slow]

let agents: AgentBench
beforeAll(async () => {
  agents = await AgentBench.start({ tools })
})
afterAll(() => agents.stop())

const bill = { to: 'Ada', amount: 500 }
const less = { to: 'Ada', amount: 450 }
const payBill = callTools([{ name: 'pay', args: bill }])

interface Decision {
  readonly call: object
  /** With which arguments the tool is called. */
  readonly inputs: readonly object[]
  /** What the model reads in the step of the call, and what in a later step. */
  readonly told: string
  readonly toldLater: string
  readonly journaled: object
}

const decisions: readonly (readonly [name: string, decision: Decision])[] = [
  [
    'edited',
    {
      call: { arguments: less },
      inputs: [less],
      told: 'The person changed the arguments of the call. These count instead of yours.',
      toldLater: JSON.stringify(less),
      journaled: { edited: less, outcome: 'succeeded', output: less },
    },
  ],
  [
    'denied',
    {
      call: { deny: 'The note is missing' },
      inputs: [],
      told: 'A person did not allow this call: The note is missing',
      toldLater: 'The person did not allow the call. It was not made.',
      journaled: {
        outcome: 'policy_denied',
        message: 'A person did not allow this call: The note is missing',
        byPerson: true,
      },
    },
  ],
  [
    'given a result',
    {
      call: { result: { receipt: 'R-7' } },
      inputs: [],
      told: 'R-7',
      toldLater: 'The person gave the result of the call. It was not made.',
      journaled: { outcome: 'succeeded', output: { receipt: 'R-7' }, byPerson: true },
    },
  ],
]

async function decided(call: object, body: object): Promise<string> {
  const id = await agents.bench.create(body)
  await agents.bench.waits(id)
  expect((await agents.bench.signal(id, 'submit_input', { call })).status).toBe(200)
  return id
}
const inputsOf = (id: string, tool = 'pay') => (tool === 'pay' ? pay : free).callsOf(id).map((made) => made.input)
/** As a tool of a server is, which is not asked for its tools. */
const knownAsReads = tools.map((tool) => ({ ...tool, effectOf: () => 'read' as const }))
/** Up to its end. */
const noDifference = /^No difference: (?!.*until)/
const messagesOf = (at: number) => agents.asked('worker').at(at)?.messages
const textOf = (at: number) => AgentBench.textOf(agents.asked('worker').at(at))

/** What the journal has about the only call of a run: its start and its result in one. */
async function journalOf(id: string): Promise<object> {
  const rows = await agents.bench.service.database.query<{ kind: string; body: string }>({
    text: "select split_part(key, ':', 1) as kind, body::text from journal where run_id = $1 and key ~ '^(call|result):'",
    values: [fromWireId('run', id)],
  })
  expect(rows.map(({ kind }) => kind).sort()).toEqual(['call', 'result'])
  return Object.assign({}, ...rows.map(({ body }) => JSON.parse(body)))
}

async function forkAfterFirstStep(id: string): Promise<string> {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const reply = await agents.bench.acme.post(`/v1/runs/${id}/fork`, { from_step: 'a' }, key)
  expect(reply.status, reply.text).toBe(201)
  return reply.json<CreatedRun>().id
}

async function replay(id: string, known: readonly Tool[] = tools): Promise<string> {
  const printed: string[] = []
  const print = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const { database } = agents.bench.service
  const sealing = new SealingKeys(database, { encryptionKey: randomBytes(32) })
  const command = replayCommand((work) => work({ database, sealing }), {}, [...builtInTools(), ...known])
  await command.parseAsync([id], { from: 'user' })
  print.mockRestore()
  process.exitCode = undefined
  return printed.join('\n')
}

describe.each(decisions)('a call that was %s', (_, { call, inputs, told, toldLater, journaled }) => {
  test('stays so in a retry of its step', async () => {
    agents.script({ worker: [payBill, fail('bad_request'), say('Done.')] })
    const id = await decided(call, { input: { question: 'Pay Ada' }, metadata: {} })
    expect(outline(await agents.bench.ended(id)).at(-1)).toMatch(/^failed/)
    const before = await journalOf(id)
    expect(before).toMatchObject(journaled)
    expect((await agents.bench.command(id, 'retry')).status).toBe(200)
    const events = await agents.bench.ended(id, 2)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
    expect(inputsOf(id)).toEqual(inputs)
    expect(agents.asked('worker')).toHaveLength(3)
    expect(textOf(-1)).toContain(told)
    expect(messagesOf(-1)).toEqual(messagesOf(-2))
    expect(await journalOf(id)).toEqual(before)
  })

  test('stays so in a fork after its step, and a replay of both finds no difference', async () => {
    const steps = ['a', 'b'].map((id) => ({ id, instruction: `Step ${id}` }))
    agents.script({
      worker: [payBill, say('Paid or not.'), say('Told.'), say('Told again.')],
      judge: verdict('continue'),
    })
    const id = await decided(call, planned(steps))
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('succeeded')
    const original = messagesOf(-1)
    expect(textOf(-1)).toContain(toldLater)
    const fork = await forkAfterFirstStep(id)
    const events = await agents.bench.ended(fork)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.awaiting_input')).toEqual([])
    expect([inputsOf(id), inputsOf(fork)]).toEqual([inputs, []])
    expect(agents.asked('worker')).toHaveLength(4)
    expect(messagesOf(-1)).toEqual(original)
    expect(await replay(id)).toMatch(noDifference)
    expect(await replay(fork)).toMatch(noDifference)
  })
})

describe('the call of a step that the plan holds', () => {
  const required = { id: 'pay', tool: 'free', input: bill, approval: 'required' as const }
  const byPolicy = { id: 'pay', tool: 'pay', input: bill }

  test.each([
    ['the plan', required],
    ['the policy', byPolicy],
  ])('that was denied where %s asks: a retry asks again', async (_, step) => {
    const id = await decided({ deny: 'The note is missing' }, planned([step]))
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('failed tool_failed')
    await agents.bench.command(id, 'retry')
    await agents.bench.waits(id, 2)
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject({ tool: step.tool, arguments: bill })
    expect(inputsOf(id, step.tool)).toEqual([])
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(inputsOf(id, step.tool)).toEqual([bill])
    expect(await replay(id)).toMatch(noDifference)
  })

  test('that was denied twice is not made, and asked about again', async () => {
    const id = await decided({ deny: 'The note is missing' }, planned([required]))
    await agents.bench.ended(id)
    await agents.bench.command(id, 'retry')
    await agents.bench.waits(id, 2)
    await agents.bench.signal(id, 'submit_input', { call: { deny: 'Still missing' } })
    const events = await agents.bench.ended(id, 2)
    expect(ofType(events, 'step.done').map(({ content }) => content)).toEqual([
      expect.stringContaining('The note is missing'),
      expect.stringContaining('Still missing'),
    ])
    await agents.bench.command(id, 'retry')
    await agents.bench.waits(id, 3)
    expect(inputsOf(id, 'free')).toEqual([])
  })

  test('that was edited and failed is made with the edited arguments in a retry, without another question', async () => {
    const id = await decided({ arguments: less }, planned([{ ...required, tool: 'late', max_attempts: 1 }]))
    expect(outline(await agents.bench.ended(id)).at(-1)).toBe('failed tool_failed')
    await agents.bench.command(id, 'retry')
    const events = await agents.bench.ended(id, 2)
    expect(outline(events).at(-1)).toBe('succeeded')
    expect(ofType(events, 'run.awaiting_input')).toHaveLength(1)
    expect(late.inputs).toEqual([less, less])
    expect(await replay(id)).toMatch(noDifference)
  })

  test('that was edited, and whose outcome is not known: a retry asks about it with the edited arguments', async () => {
    const id = await decided({ arguments: less }, planned([{ ...required, tool: 'unsure' }]))
    await agents.bench.waits(id, 2)
    await agents.bench.signal(id, 'submit_input', { call: { deny: 'Ask the bank first' } })
    await agents.bench.ended(id)
    await agents.bench.command(id, 'retry')
    await agents.bench.waits(id, 3)
    const question = { reason_code: 'tool_outcome_unknown', tool: 'unsure', arguments: less }
    expect(await agents.bench.include(id, 'awaiting_input')).toMatchObject(question)
    expect(unsure.inputs).toEqual([less])
    await agents.bench.signal(id, 'approve')
    expect(outline(await agents.bench.ended(id, 2)).at(-1)).toBe('succeeded')
    expect(unsure.inputs).toEqual([less, less])
  })

  test.each(decisions)('that was %s: a fork before the step asks about the call of the plan', async (_, { call }) => {
    const first = { id: 'a', tool: 'free', input: less }
    const id = await decided(call, planned([first, required]))
    await agents.bench.ended(id)
    const fork = await forkAfterFirstStep(id)
    await agents.bench.waits(fork)
    expect(await agents.bench.include(fork, 'awaiting_input')).toMatchObject({ tool: 'free', arguments: bill })
    expect(inputsOf(fork, 'free')).toEqual([])
    await agents.bench.signal(fork, 'approve')
    expect(outline(await agents.bench.ended(fork)).at(-1)).toBe('succeeded')
    expect(inputsOf(fork, 'free')).toEqual([bill])
    expect(await replay(fork)).toMatch(noDifference)
  })
})

test('a run that a person rejected and retried is replayed with both answers', async () => {
  const id = await agents.bench.create(planned([{ id: 'pay', tool: 'pay', input: bill }]))
  await agents.bench.waits(id)
  await agents.bench.signal(id, 'reject')
  await agents.bench.ended(id)
  await agents.bench.command(id, 'retry')
  await agents.bench.waits(id, 2)
  await agents.bench.signal(id, 'approve')
  await agents.bench.ended(id, 2)
  expect(await replay(id)).toMatch(noDifference)
})

describe.each([
  ['approved', 'approve', undefined],
  ['given a result', 'submit_input', { call: { result: { receipt: 'R-7' } } }],
  ['said to have failed', 'submit_input', { call: { error: 'The bank refused it' } }],
  ['denied', 'submit_input', { call: { deny: 'Ask the bank first' } }],
] as const)('a call whose outcome was not known, and that was %s', (_, action, payload) => {
  test.each([
    ['a model', unsure],
    ['the plan', unsure],
    ['a model, too late,', slow],
  ] as const)('by %s has no difference in a replay', async (caller, tool) => {
    const { name, inputs } = tool
    inputs.length = 0
    agents.script({ worker: [callTools([{ name, args: bill }]), say('Paid or not.')], judge: verdict('continue') })
    const step = caller === 'the plan' ? { id: 'pay', tool: name, input: bill } : { id: 'pay', instruction: 'Pay Ada' }
    const id = await agents.bench.create(planned([step]))
    await agents.bench.waits(id)
    await agents.bench.signal(id, action, payload)
    await agents.bench.ended(id)
    const before = inputs.length
    expect(await replay(id)).toMatch(noDifference)
    expect(await replay(id, knownAsReads)).toMatch(noDifference)
    expect(inputs).toHaveLength(before)
  })
})
