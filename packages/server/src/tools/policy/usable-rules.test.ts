import { expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import { usableRules } from './usable-rules.ts'

const caller = { customerId: 'acme' }
const schemas = testSchemas.runs
const usable = (tool_policy: unknown) => usableRules({ other: 1, tool_policy }, { schemas, caller })
const asking = (approval_schema: object) => ({ rule: 'ask', approval_schema })
const schemaOf = (parts: number) => ({ anyOf: Array.from({ length: parts - 1 }, () => ({})) })

test.each([[undefined], [null], ['deny'], [['deny']], [{ pay: 'deny', '*': { rule: 'ask' }, a: null, b: 'no' }]])(
  'without schemas all stays as it is: %j',
  async (tool_policy) => {
    const metadata = { tool_policy }
    expect(await usableRules(metadata, { schemas, caller })).toBe(metadata)
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
