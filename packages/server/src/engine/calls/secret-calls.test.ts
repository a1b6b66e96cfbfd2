import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolContext } from '../../../test/support/tool-context.ts'
import { finish } from '../../domain/finish.ts'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import { type Tool, ToolDenied } from '../../tools/port/tool.ts'
import { fillCall, invokeWithSecrets, summarizeCall as summarizeInParts } from './secret-calls.ts'
import type { SecretCall } from './secret-receivers.ts'

const summarizeCall = (...of: Parameters<typeof summarizeInParts>) => finish(summarizeInParts(...of))

const document = { input: { password: 'correct horse', pin: 1234 }, metadata: {} }
const mayCompute = { allow: ['tool:calculator'] }
const secrets = SecretKeeper.find(document, [
  { path: '$.input.pin', classification: 'pii', ...mayCompute },
]) as SecretKeeper
const input = { p: '{{secret:$.input.password}}', n: '{{secret:$.input.pin}}' }

/** Calls a tool that runs this function on its input. */
function callWith(keeper: SecretKeeper | undefined, run: (input: unknown) => unknown, call: Partial<SecretCall> = {}) {
  const shape = { description: '', input: z.looseObject({}), effectOf: () => 'read' as const, timeoutSeconds: 5 }
  const { name = 'tool' } = call
  const tool: Tool = { ...shape, name, run: async (given) => run(given) }
  const context = toolContext()
  const catalogue = new ToolCatalogue([tool])
  const made = { input, ...call, name }
  return invokeWithSecrets({
    secrets: keeper,
    call: made,
    ...fillCall(keeper, made),
    catalogue,
    allowed: undefined,
    context,
  })
}

const call = (run: (input: unknown) => unknown, of?: Partial<SecretCall>) => callWith(secrets, run, of)

test('a tool gets the values', async () => {
  const given: unknown[] = []
  await call((value) => given.push(value))
  expect(given).toEqual([{ p: 'correct horse', n: 1234 }])
})

test('a call that repeats a large value is not made', async () => {
  const large = { input: { file: 'a secret file '.repeat(10_000) }, metadata: {} }
  const keeper = SecretKeeper.find(large, [{ path: '$.input.file', classification: 'pii' }]) as SecretKeeper
  const given: unknown[] = []
  const repeat = (times: number) => ({ text: '{{secret:$.input.file}} '.repeat(times) })
  const made = await callWith(keeper, (value) => given.push(value), { input: repeat(7) })
  expect([made.outcome, given.length]).toEqual(['succeeded', 1])
  for (const input of [repeat(8), repeat(10_000), { list: Array(10_000).fill('{{secret:$.input.file}}') }]) {
    expect(await callWith(keeper, (value) => given.push(value), { input })).toEqual({
      outcome: 'failed',
      message: expect.stringContaining('was not called: the sensitive values in its input are too large'),
      noEffect: true,
    })
  }
  expect(given).toHaveLength(1)
})

test('a call that gets no large value is made, also after its input was summarized', async () => {
  const large = { input: { file: 'a secret file '.repeat(10_000) }, metadata: {} }
  const keeper = SecretKeeper.find(large, [{ path: '$.input.file', classification: 'pii' }]) as SecretKeeper
  const repeated = { text: '{{secret:$.input.file}} '.repeat(100) }
  for (const name of ['calculator', 'memory_save']) {
    const result = await callWith(keeper, () => 1, { name, input: repeated })
    summarizeCall(keeper, { name, input: repeated }, result)
    expect(await callWith(keeper, () => 1, { name, input: repeated })).toMatchObject({ outcome: 'succeeded' })
  }
})

test.each(['memory_save', 'memory_search'])('%s gets placeholders, because it stores its input', (name) => {
  const told = { ...input, t: 'about correct horse' }
  expect(fillCall(secrets, { name, input: told }).input).toEqual({ p: '***', n: '***', t: 'about ***' })
})

test('without secrets a call is unchanged', async () => {
  const result = await callWith(undefined, (value) => value)
  expect(result).toEqual({ outcome: 'succeeded', output: input })
  expect(summarizeCall(undefined, { name: 'tool', input }, result).redacted).toBe(false)
})
test('a result is scrubbed, and the original is kept to measure its size', async () => {
  const result = await call((given) => ({ given }))
  expect(result).toMatchObject({ output: { given: { p: '***', n: '***' } }, before: { given: { p: 'correct horse' } } })
  const { outputSummary, redacted } = summarizeCall(secrets, { name: 'tool', input }, result)
  expect(redacted).toBe(true)
  expect(outputSummary.stats).toMatchObject({ fields_redacted: 2, bytes_before_redaction: 40 })
})

test('an error is scrubbed before it is cut, because half a secret would not be recognized', async () => {
  const result = await call(() => {
    throw new Error(`${'x'.repeat(994)}correct horse`)
  })
  expect(result).toMatchObject({ outcome: 'failed', message: `${'x'.repeat(994)}***` })
  const { stats } = summarizeCall(secrets, { name: 'tool', input: {} }, result).outputSummary
  expect(stats).toMatchObject({ fields_redacted: 1, bytes_before_redaction: 994 + 15, bytes_after_redaction: 994 + 5 })
})

test('a result without secrets is unchanged', async () => {
  const result = await call(() => ({ fine: true }))
  expect(result).toEqual({ outcome: 'succeeded', output: { fine: true } })
  expect(summarizeCall(secrets, { name: 'tool', input: { a: 1 } }, result).redacted).toBe(false)
})

describe('a computing tool', () => {
  const pin = { n: '{{secret:$.input.pin}}' }
  const password = { p: '{{secret:$.input.password}}' }
  const given: unknown[] = []
  const echo = (value: unknown) => {
    given.push(value)
    return { reversed: '4321' }
  }

  test('that a model calls gets only what the tag allows, and the model is told', async () => {
    const result = await call(echo, { name: 'json_query', input: { ...pin, t: 'a {{secret:$.input.pin}}' } })
    expect(given.pop()).toEqual({ ...pin, t: 'a {{secret:$.input.pin}}' })
    expect(result).toMatchObject({ output: { reversed: '4321' }, note: expect.stringContaining('$.input.pin') })
    expect(await call(echo, { name: 'calculator', input: { ...pin, ...password } })).toMatchObject({
      note: expect.stringMatching(/does not allow this tool: \$\.input\.password\.$/),
    })
    expect(given.pop()).toEqual({ n: 1234, ...password })
  })

  test('that the client’s plan names a value for gets it', async () => {
    await call(echo, { name: 'run_javascript', input: password, byClient: ['$.input.password'] })
    expect(given.pop()).toEqual({ p: 'correct horse' })
  })

  test('that got a value has its whole output masked', async () => {
    const result = await call(echo, { name: 'calculator', input: pin })
    expect(result).toEqual({ outcome: 'succeeded', output: '***', before: { reversed: '4321' } })
    expect(summarizeCall(secrets, { name: 'calculator', input: pin }, result)).toMatchObject({
      redacted: true,
      outputSummary: { preview: '***', stats: { fields_total: 1, fields_redacted: 1 } },
    })
  })

  test('that got none shows its output', async () => {
    expect(await call(echo, { name: 'calculator', input: {} })).toEqual({
      outcome: 'succeeded',
      output: { reversed: '4321' },
    })
  })
})

test.each(['calculator', 'json_query', 'run_javascript', 'http_fetch'])(
  'an error of %s quotes nothing of a call that received a value',
  async (name) => {
    const fail = () => {
      throw new ToolDenied('address_not_allowed', 'Port 77 is not allowed: horse')
    }
    const carrying = await call(fail, {
      name,
      input: { p: '{{secret:$.input.password}}' },
      byClient: ['$.input.password'],
    })
    expect(carrying).toMatchObject({ outcome: 'policy_denied', reasonCode: 'address_not_allowed' })
    expect(carrying).toHaveProperty('message', expect.stringMatching(/Details are not shown/))
    expect(await call(fail, { name, input: {} })).toHaveProperty('message', 'Port 77 is not allowed: horse')
  },
)

test('a tool learns whether its input contains secrets', async () => {
  const seen: unknown[] = []
  const tool = { description: '', input: z.looseObject({}), effectOf: () => 'read' as const, timeoutSeconds: 5 }
  const run = async (_: unknown, { carriesSecrets }: Parameters<Tool['run']>[1]) => seen.push(carriesSecrets)
  const catalogue = new ToolCatalogue([{ ...tool, name: 'tool', run }])
  const context = toolContext()
  for (const given of [input, {}]) {
    const made = { name: 'tool', input: given }
    await invokeWithSecrets({ secrets, call: made, ...fillCall(secrets, made), catalogue, allowed: undefined, context })
  }
  expect(seen).toEqual([true, false])
})
