import { expect, test } from 'vitest'
import { z } from 'zod'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import type { Tool, ToolCallContext } from '../../tools/port/tool.ts'
import { fillCall, invokeWithSecrets, summarizeCall } from './secret-calls.ts'

const document = { input: { password: 'correct horse', pin: 1234 }, metadata: {} }
const secrets = SecretKeeper.find(document, [{ path: '$.input.pin', classification: 'pii' }]) as SecretKeeper
const input = { p: '{{secret:$.input.password}}', n: '{{secret:$.input.pin}}' }

/** Calls a tool that runs this function on its input. */
function callWith(keeper: SecretKeeper | undefined, run: (input: unknown) => unknown) {
  const shape = { description: '', input: z.looseObject({}), effectOf: () => 'read' as const, timeoutSeconds: 5 }
  const tool: Tool = { ...shape, name: 'tool', run: async (given) => run(given) }
  const context = { signal: new AbortController().signal } as ToolCallContext
  const catalogue = new ToolCatalogue([tool])
  return invokeWithSecrets({ secrets: keeper, catalogue, name: 'tool', input, allowed: undefined, context })
}

const call = (run: (input: unknown) => unknown) => callWith(secrets, run)

test('a tool gets the values', async () => {
  const given: unknown[] = []
  await call((value) => given.push(value))
  expect(given).toEqual([{ p: 'correct horse', n: 1234 }])
})

test.each(['memory_save', 'memory_search'])('%s gets placeholders, because it stores its input', (name) => {
  const told = { ...input, t: 'about correct horse' }
  expect(fillCall(secrets, { name, input: told })).toEqual({ p: '***', n: '***', t: 'about ***' })
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
