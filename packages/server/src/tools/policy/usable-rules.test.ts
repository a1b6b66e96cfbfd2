import { expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import type { CompileOutcome } from '../../runtime/schemas/schema-threads.ts'
import { yieldToEventLoop } from '../../runtime/time-slices.ts'
import { usableRules } from './usable-rules.ts'

const caller = { customerId: 'acme' }
const schemas = testSchemas.runs
const notChecked: string[] = []
const usable = (tool_policy: unknown, compile = schemas.compile.bind(schemas)) =>
  usableRules(
    { other: 1, tool_policy },
    { schemas: { compile }, caller, onUnchecked: (name, end) => notChecked.push(`${name} ${end}`) },
  )
const asking = (approval_schema: object) => ({ rule: 'ask', approval_schema })
const schemaOf = (parts: number) => ({ anyOf: Array.from({ length: parts - 1 }, () => ({})) })

test.each([[undefined], [null], ['deny'], [['deny']], [{ pay: 'deny', '*': { rule: 'ask' }, a: null, b: 'no' }]])(
  'without schemas all stays as it is: %j',
  async (tool_policy) => {
    const metadata = { tool_policy }
    expect(await usableRules(metadata, { schemas, caller, onUnchecked: () => undefined })).toBe(metadata)
  },
)

test('a rule whose schema cannot be used is to deny, and all else stays as it is', async () => {
  const good = asking({ type: 'object' })
  const given = { good, typo: asking({ type: 'objekt' }), '*': asking({ $ref: '#/nope' }), plain: 'ask' }
  expect(await usable(given)).toEqual({
    other: 1,
    tool_policy: { good, typo: 'deny', '*': 'deny', plain: 'ask' },
  })
})

test('the rules whose schemas are too large together are to deny', async () => {
  const given = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, asking(schemaOf(500))]))
  const { tool_policy } = (await usable(given)) as { tool_policy: Record<string, unknown> }
  expect(Object.keys(tool_policy).filter((name) => tool_policy[name] === 'deny')).toEqual(['t10'])
})

test.each(['timed_out', 'crashed', 'queue_full'] as const)(
  'a rule whose schema could not be checked (%s) stays, and the operator is told',
  async (ended) => {
    notChecked.length = 0
    const given = { pay: asking({ type: 'object' }), mail: 'ask' }
    const outcome: CompileOutcome = { ended }
    expect(await usable(given, async () => outcome)).toEqual({ other: 1, tool_policy: given })
    expect(notChecked).toEqual([`pay ${ended}`])
  },
)

test('beyond the limit of all schemas no more are read, and other work is done in between', async () => {
  let reads = 0
  const counted = {
    get title() {
      reads += 1
      return 'Amount'
    },
  }
  const large = Array.from({ length: 11 }, (_, n) => [`t${n}`, asking(schemaOf(500))] as const)
  const late = asking({ type: 'object', properties: { amount: counted } })
  const served: string[] = []
  void yieldToEventLoop().then(() => served.push('other work'))
  await usable({ ...Object.fromEntries(large), late }, async () => 'compiled')
  expect([reads, served]).toEqual([0, ['other work']])
})
