// Attacks on the event loop: whatever a request, an answer of a model or a result of a tool contains, it is handled in
// short turns. A generator makes the worst it can, up to the limits of each field. What was too slow once is an
// example.
//
// The service is a process of its own. Its turns are measured in CPU time of its main thread, and compared with what a
// fixed piece of work takes there. TURN_CASES multiplies the cases, and makes them different each time.
import { randomUUID } from 'node:crypto'
import { maxGoalLength, maxPayloadBytes } from '@runwright/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Awkward, awkward, jsonOf, type Kind, largest, plainOf } from '../support/awkward-json.ts'
import { promisedTurnMs } from '../support/cpu-time.ts'
import { callTools, say } from '../support/providers/script.ts'
import { TurnLab } from '../support/turn-lab.ts'
import { worstBodies } from '../support/worst-bodies.ts'

const more = Number(process.env.TURN_CASES ?? 1)
const timeoutMs = 120_000 * more

let lab: TurnLab
beforeAll(async () => {
  lab = await TurnLab.start()
})
afterAll(() => lab.stop())

async function expectShortTurns(attack: () => Promise<unknown>): Promise<void> {
  expect(await lab.longestTurnMs(attack)).toBeLessThan(promisedTurnMs)
}

interface Cases<Value> {
  readonly count: number
  readonly examples?: readonly Value[]
}

/** The first failure ends the test: to look for a smaller one takes long, and the largest is the best example. */
const forAll = async <Value>(
  values: fc.Arbitrary<Value>,
  { count, examples = [] }: Cases<Value>,
  attack: (value: Value) => Promise<unknown>,
) =>
  fc.assert(
    fc.asyncProperty(values, (value) => expectShortTurns(() => attack(value))),
    {
      numRuns: examples.length + count * more,
      examples: examples.map((value): [Value] => [value]),
      endOnFailure: true,
      ...(more === 1 && { seed: 34 }),
    },
  )

const kindsOf = (...kinds: Kind[]): Awkward[] => kinds.map(largest)
const tag = (path: string) => ({ path, classification: 'pii' })
const step = (fields: object = {}) => ({
  input: {},
  metadata: {},
  plan: { steps: [{ id: 'a', instruction: 'Do it', ...fields }] },
})
/** The largest result of a tool. */
const largestResult = { length: 1_040_000, parts: 99_000 }
const tagged = (secrets: readonly string[]) => ({
  input: { b: secrets },
  ...(secrets.length > 0 && { sensitivity_tags: [tag('$.input.b')] }),
})
const manySecrets = Array.from({ length: 900 }, (_, n) => `s3cret${n}x`)

describe('a create, and the run that follows', () => {
  const room = { length: maxPayloadBytes - 20_000, parts: 400_000 }
  const cases = fc.record({
    value: awkward,
    place: fc.constantFrom('input', 'metadata', 'tool'),
    secrets: fc.constantFrom([], ['hunter2hunter2'], manySecrets),
  })

  test('with any values', { timeout: timeoutMs }, async () => {
    const examples = kindsOf('deep arrays', 'keys').map((value) => ({ value, place: 'input', secrets: manySecrets }))
    await forAll(cases, { count: 8, examples }, ({ value, place, secrets }) => {
      const json = jsonOf(value, room)
      const [input, metadata] = place === 'metadata' ? ['null', json] : [place === 'input' ? json : 'null', 'null']
      const plan =
        place === 'tool' ? `,"plan":{"steps":[{"tool":"json_query","input":{"data":${json},"path":"$"}}]}` : ''
      const tags = secrets.length > 0 ? `,"sensitivity_tags":${JSON.stringify([tag('$.input.b')])}` : ''
      const sent = `"input":{"a":${input},"b":${JSON.stringify(secrets)}},"metadata":{"a":${metadata}}`
      return lab.play(`{${sent}${plan}${tags}}`)
    })
  })

  test.each([
    'many keys',
    'tagged texts, repeated one by one',
    'keys that contain a tagged text',
    'tagged texts, and their base64 many times',
    'a plan of deep templates',
  ])('%s', { timeout: timeoutMs }, (name) => expectShortTurns(() => lab.play(worstBodies[name])))

  test.each([
    ['a goal of open braces beside a tag', { goal: '{{'.repeat(maxGoalLength / 2) }],
    ['a goal that is too long', { goal: '{{'.repeat(40_000) }],
  ])('%s', { timeout: timeoutMs }, (_, fields) =>
    expectShortTurns(() => {
      const { plan } = step()
      return lab.play({
        input: { a: 'hunter2' },
        metadata: {},
        plan: { ...plan, ...fields },
        sensitivity_tags: [tag('$.input.a')],
      })
    }),
  )

  const counted = { type: 'string', pattern: 'a{0,1000}'.repeat(400) }
  test.each([
    ['a schema of counted repetitions', counted],
    [
      'eight of them',
      { type: 'object', properties: Object.fromEntries([...'abcdefgh'].map((name) => [name, counted])) },
    ],
    ['a schema of 5,000 parts', { anyOf: Array.from({ length: 2_400 }, (_, n) => ({ const: n })) }],
    ['a nested schema', { allOf: JSON.parse(jsonOf(largest('deep objects'), { length: 60_000, parts: 4_000 })) }],
  ])('%s', { timeout: timeoutMs }, (_, output_schema) => expectShortTurns(() => lab.play(step({ output_schema }))))
})

test('bodies of 4 MiB, whatever the route', { timeout: timeoutMs }, async () => {
  const routes = [
    ['/v1/runs', '{"metadata":{},"input":{"a":'],
    ['/v1/schedules', '{"cron":"* * * * *","run":{"metadata":{},"input":{"a":'],
    ['/v1/webhooks', '{"url":"https://example.com","x":{"a":'],
    ['/v1/keys', '{"scopes":[],"x":{"a":'],
    [`/v1/runs/run_${'0'.repeat(26)}/signal`, '{"action":"submit_input","payload":{"a":'],
    [`/v1/runs/run_${'0'.repeat(26)}/fork`, '{"from_step":"a","input":{"a":'],
  ] as const
  const cases = fc.record({
    value: awkward,
    route: fc.constantFrom(...routes),
    parts: fc.constantFrom<number>(5_000_000, 390_000, 199_000),
    isOpen: fc.boolean(),
  })
  const examples = kindsOf('keys', 'decimals').map((value) => ({
    value,
    route: routes[0],
    parts: 199_000,
    isOpen: false,
  }))
  await forAll(cases, { count: 10, examples }, ({ value, route: [path, start], parts, isOpen }) => {
    const json = jsonOf(value, { length: 4 * 1024 * 1024 - 200, parts })
    const end = isOpen ? '' : '}'.repeat(start.split('{').length - 1)
    return lab.caller.post(path, `${start}${json}${end}`, { 'idempotency-key': randomUUID() })
  })
})

test('a signal, the run that gets it, and a person who reads it', { timeout: timeoutMs }, async () => {
  const cases = fc.record({ value: awkward, secrets: fc.constantFrom([], manySecrets) })
  const examples = kindsOf('keys', 'deep arrays').map((value) => ({ value, secrets: manySecrets }))
  await forAll(cases, { count: 3, examples }, async ({ value, secrets }) => {
    const gate = { id: 'g', await_input: { input_kind: 'payload', prompt: 'Say it' } }
    const after = { id: 'b', instruction: 'Look at {{signal.payload}}' }
    const { id } = await lab.caller.newRun({ plan: { steps: [gate, after] }, ...tagged(secrets) })
    await lab.waits(id)
    const payload = jsonOf(value, { length: maxPayloadBytes - 100, parts: 139_000 })
    await lab.caller.post(`/v1/runs/${id}/signal`, `{"action":"submit_input","payload":{"a":${payload}}}`)
    await lab.ended(id)
    await lab.caller.get(`/v1/runs/${id}?include=signals`)
  })
})

describe('a schedule', () => {
  const send = async (body: string) => {
    const reply = await lab.caller.post('/v1/schedules', body)
    if (reply.status !== 201) return
    await lab.caller.send({ method: 'DELETE', path: `/v1/schedules/${reply.json<{ id: string }>().id}` })
  }

  test('of any run', { timeout: timeoutMs }, () =>
    forAll(awkward, { count: 3 }, (value) => {
      const json = jsonOf(value, { length: maxPayloadBytes - 100, parts: 400_000 })
      return send(
        `{"cron":"0 0 1 1 *","run":{"metadata":{},"input":{"a":${json},"b":"hunter2"},"sensitivity_tags":[${JSON.stringify(tag('$.input.b'))}]}}`,
      )
    }),
  )

  test('that never fires, fifty times', { timeout: timeoutMs }, () =>
    expectShortTurns(() =>
      Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          send(JSON.stringify({ cron: `${n} 2 30 2 *`, time_zone: 'Europe/Berlin', run: { input: {}, metadata: {} } })),
        ),
      ),
    ),
  )
})

test('a fork of a run with large results', { timeout: timeoutMs }, async () => {
  const files = (['keys', 'quotes', 'deep arrays', 'short texts'] as const).map((kind) =>
    lab.file(jsonOf(largest(kind), largestResult)),
  )
  const steps = files.map((file, n) => ({ id: `s${n}`, tool: 'give', input: { file }, depends_on: [] }))
  const id = await lab.play({ input: { b: 'hunter2' }, metadata: {}, plan: { steps } })
  await forAll(awkward, { count: 2, examples: kindsOf('keys') }, async (value) => {
    const input = jsonOf(value, { length: maxPayloadBytes - 100, parts: 400_000 })
    const body = `{"from_step":"s0","input":{"a":${input},"b":"hunter2"},"sensitivity_tags":[${JSON.stringify(tag('$.input.b'))}]}`
    const fork = await lab.caller.post(`/v1/runs/${id}/fork`, body, { 'idempotency-key': randomUUID() })
    if (fork.status === 201) await lab.ended(fork.json<{ id: string }>().id)
  })
})

test('filters of lists', { timeout: timeoutMs }, async () => {
  const filters = fc.constantFrom('q', 'status', 'agent', 'workspace_id', 'error', 'created_after', 'include', 'cursor')
  await forAll(fc.record({ value: awkward, filter: filters }), { count: 10 }, ({ value, filter }) => {
    const words = encodeURIComponent(
      plainOf(value, { length: 1_500, parts: 1_500 })
        .slice(0, 1_500)
        .replace(/[\ud800-\udfff]/g, '?'),
    )
    return lab.caller.get(`/v1/runs?${filter}=${words}`)
  })
})

describe('an answer of a model', () => {
  const room = { length: 1_000_000, parts: 50_000 }
  const roles = {
    worker: { body: step(), wrap: (json: string) => json },
    'worker with a schema': { body: step({ output_schema: { type: 'array' } }), wrap: (json: string) => `So: ${json}` },
    planner: { body: { input: {}, metadata: {}, routing_hint: 'require_planning' }, wrap: (json: string) => json },
    'planner, in a step': {
      body: { input: {}, metadata: {}, routing_hint: 'require_planning' },
      wrap: (json: string) => `{"plan":{"steps":[{"tool":"json_query","input":{"data":${json}}}]}}`,
    },
    judge: { body: step(), wrap: (json: string) => `{"decision":"stop","reason":${json}}` },
  } as const
  type Role = keyof typeof roles

  const answer = (role: Role, text: string) => {
    const { body } = roles[role]
    const name = role.split(/[ ,]/)[0] as 'worker' | 'planner' | 'judge'
    // In pieces, as models stream it.
    const pieces = Array.from({ length: 50 }, (_, n) =>
      text.slice((n * text.length) / 50, ((n + 1) * text.length) / 50),
    )
    lab.script({ [name]: say(pieces) })
    return lab.play(body)
  }

  test('of any form', { timeout: timeoutMs }, async () => {
    const cases = fc.record({
      value: awkward,
      role: fc.constantFrom(...(Object.keys(roles) as Role[])),
      isPlain: fc.boolean(),
    })
    const examples = kindsOf('keys', 'quotes').map((value) => ({
      value,
      role: 'worker with a schema' as const,
      isPlain: false,
    }))
    await forAll(cases, { count: 12, examples }, ({ value, role, isPlain }) =>
      answer(role, isPlain ? plainOf(value, room) : roles[role].wrap(jsonOf(value, room))),
    )
  })

  test.each<[Role, string, string]>([
    ['worker with a schema', 'a fence and 6,000 line breaks', `\`\`\`json${'\n'.repeat(6_000)}x`],
    ['planner', 'a fence and 6,000 line breaks', `\`\`\`json${'\n'.repeat(6_000)}x`],
    ['judge', '60 kB of escaped quotes', `{"decision":"stop","reason":"${'\\"'.repeat(30_000)}`],
  ])('of the %s: %s', { timeout: timeoutMs }, (role, _, text) => expectShortTurns(() => answer(role, text)))

  test('with 256 calls', { timeout: timeoutMs }, () =>
    expectShortTurns(() => {
      const calls = Array.from({ length: 256 }, (_, n) => ({ name: 'calculator', args: { expression: `${n}+1` } }))
      lab.script({ worker: [callTools(calls), say('Done.')] })
      return lab.play(step())
    }),
  )

  test('that is a call with any arguments', { timeout: timeoutMs }, () => {
    const cases = fc.record({
      value: awkward,
      // One that computes, one that stores its input, and one that gets the values.
      tool: fc.constantFrom('json_query', 'memory_save', 'give'),
      secrets: fc.constantFrom([], ['hunter2hunter2'], manySecrets),
    })
    const examples = kindsOf('keys', 'short texts').flatMap((value) =>
      ['json_query', 'memory_save'].map((tool) => ({ value, tool, secrets: manySecrets })),
    )
    return forAll(cases, { count: 6, examples }, ({ value, tool, secrets }) => {
      const rawArgs = `{"data":${jsonOf(value, { ...room, length: 900_000 })},"path":"$.a","b":"{{secret:$.input.b}}"}`
      lab.script({ worker: [callTools([{ name: tool, rawArgs }]), say('Done.')] })
      return lab.play({ ...step(), ...tagged(secrets) })
    })
  })
})

describe('a result of a tool', () => {
  test('of any form', { timeout: timeoutMs }, async () => {
    const tools = fc.constantFrom('give', 'giver.json', 'giver.text', 'step')
    const secrets = fc.constantFrom([], ['hunter2hunter2'], manySecrets)
    const examples = kindsOf('keys', 'deep arrays').map((value) => ({
      value,
      tool: 'giver.json',
      secrets: manySecrets,
    }))
    await forAll(
      fc.record({ value: awkward, tool: tools, secrets }),
      { count: 12, examples },
      ({ value, tool, secrets }) => {
        const file = lab.file(jsonOf(value, largestResult))
        const input = tagged(secrets)
        lab.script({ worker: [callTools([{ name: tool, args: { file } }]), say('Done.')] })
        if (tool !== 'step') return lab.play({ ...step(), ...input })
        const after = { id: 'b', instruction: 'Look at {{steps.a.output}}' }
        return lab.play({ ...step(), ...input, plan: { steps: [{ id: 'a', tool: 'give', input: { file } }, after] } })
      },
    )
  })

  test('beside 9,000 messages that are no result', { timeout: timeoutMs }, () =>
    expectShortTurns(() => {
      const file = lab.file('{"jsonrpc":"2.0","method":"x"}\n'.repeat(9_000))
      lab.script({ worker: [callTools([{ name: 'giver.lines', args: { file } }]), say('Done.')] })
      return lab.play(step())
    }),
  )
})
