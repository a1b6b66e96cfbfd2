import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testSchemas } from '../../test/support/schemas.ts'
import { parsePlan } from '../domain/plan/plan.ts'
import { readInputSchema } from '../tools/own/input-schema.ts'
import type { Tool } from '../tools/port/tool.ts'
import { toolInputProblems } from './check-tool-inputs.ts'

const { runs: schemas } = testSchemas
const anything = { input: z.record(z.string(), z.unknown()), isCheckedElsewhere: true } as const
const inputs = { schemas, caller: { customerId: 'acme' } }

const properties = { to: { type: 'string', pattern: '^[A-Z]' }, amount: { type: 'number' }, lines: { type: 'array' } }
const written = { type: 'object', required: ['to', 'amount'], additionalProperties: false, properties }
const ofZod = z.strictObject({
  to: z.string().regex(/^[A-Z]/),
  amount: z.number(),
  lines: z.array(z.number()).optional(),
})

describe.each([
  ['JSON Schema', () => readInputSchema(written, { schemas, name: 'pay' })],
  ['zod', () => readInputSchema(ofZod, { schemas, name: 'pay' })],
  ['JSON Schema that another server checks', async () => ({ ...anything, inputSchema: written })],
])('the input of a tool step with a schema in %s', (_, open) => {
  const problemsOf = async (input: object, isKept = false) => {
    const tool = await open()
    const steps = [
      { id: 'who', instruction: 'Find out who' },
      { id: 'pay', tool: 'pay', input },
    ]
    const plan = parsePlan({ steps }, new Set(['pay']))
    const find = (name: string) => (name === 'pay' ? (tool as Tool) : undefined)
    const problems = await toolInputProblems(plan, { tools: { find }, isKept: () => isKept, inputs })
    return problems.map(({ step, problem }) => `${step?.id}: ${problem}`)
  }

  test.each<[string, object]>([
    ['as the schema says', { to: 'Ada', amount: 3 }],
    ['with templates of any type', { to: '{{steps.who.content}}', amount: '{{steps.who.output.amount}}' }],
    ['with a template in a text', { to: 'x {{steps.who.content}}', amount: 3 }],
    ['with a placeholder for a sensitive value', { to: '{{secret:1}}', amount: '{{secret:2}}' }],
    ['with a template in a list', { to: 'Ada', amount: 3, lines: ['{{steps.who.output}}'] }],
  ])('%s is accepted', async (_, input) => {
    expect(await problemsOf(input)).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    ['a field is missing, beside a template', { to: '{{steps.who.content}}' }, /^pay: input\.amount is required$/],
    ['a field is unknown', { to: 'Ada', amount: 3, sum: 3 }, /^pay: input\.sum is not a known field$/],
    ['a field has another type', { to: 'Ada', amount: '3' }, /^pay: input\.amount must be a number$/],
    ['a text with a template is no number', { to: 'Ada', amount: '{{steps.who.content}} €' }, /must be a number$/],
    ['a text does not match', { to: 'ada', amount: 3 }, /^pay: input\.to must match/],
  ])('is refused if %s', async (_, input, problem) => {
    expect(await problemsOf(input)).toEqual([expect.stringMatching(problem)])
    expect(await problemsOf(input, true)).toEqual([])
  })
})
