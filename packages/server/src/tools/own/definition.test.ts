import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { testSchemas } from '../../../test/support/schemas.ts'
import { newUuid, toWireId } from '../../runtime/ids.ts'
import { callEffect } from '../port/call-effect.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import type { Tool } from '../port/tool.ts'
import { type ToolDefinition, toTool } from './definition.ts'

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 2, format: 'email' },
    size: { type: 'integer', default: 3 },
    kind: { enum: ['a', 'b'] },
    list: { type: 'array', items: { type: ['string', 'null'] } },
  },
  required: ['text'],
  additionalProperties: false,
}

const define = (part: Partial<ToolDefinition> = {}): Promise<Tool> =>
  toTool(
    { name: 'own', description: 'Says it again', input: schema, effect: 'read', run: (input) => input, ...part },
    testSchemas.runs,
  )

const runId = newUuid()
const context = {
  signal: new AbortController().signal,
  customerId: 'acme',
  workspaceId: 'w',
  subjectId: null,
  runId,
  toolCallId: 'call_1',
  idempotencyKey: 'call_1',
  beforeSend: () => undefined,
}
const invoke = async (tool: Tool | Promise<Tool>, input: unknown) =>
  invokeTool({ catalogue: new ToolCatalogue([await tool]), name: 'own', input, allowed: undefined, context })
const failed = (message: string) => ({ outcome: 'failed', message })

describe('input by JSON Schema', () => {
  test('is given to the tool with its defaults, in a copy', async () => {
    const input = { text: 'hello' }
    expect(await invoke(define(), input)).toEqual({ outcome: 'succeeded', output: { text: 'hello', size: 3 } })
    expect(input).toEqual({ text: 'hello' })
  })

  test.each([
    [{}, 'input.text is required.'],
    [{ text: 5 }, 'input.text must be a string.'],
    [{ text: null }, 'input.text must be a string, not null.'],
    [{ text: 'a' }, 'input.text must not have fewer than 2 characters.'],
    [{ text: 'ab', size: 1.5 }, 'input.size must be an integer.'],
    [{ text: 'ab', kind: 'c' }, 'input.kind must be one of "a", "b".'],
    [{ text: 'ab', list: ['x', 1] }, 'input.list[1] must be string or null.'],
    [{ text: 'ab', more: 1 }, 'input.more is not a known field.'],
    ['ab', 'input must be an object.'],
  ])('%j is refused', async (input, message) => {
    expect(await invoke(define(), input)).toEqual(failed(message))
  })

  test('models see the schema as written', async () => {
    const { $schema: _, ...told } = schema
    expect(new ToolCatalogue([await define()]).offers()).toEqual([
      { name: 'own', description: 'Says it again', inputSchema: told },
    ])
  })

  test('is checked in a time that is linear in a text, and bounded', async () => {
    const tool = define({ input: { type: 'object', properties: { text: { pattern: '^(a+)+$' } } } })
    expect(await invoke(tool, { text: `${'a'.repeat(50_000)}!` })).toEqual(
      failed('input.text must match pattern "^(a+)+$".'),
    )
    const costly = define({ input: { type: 'object', properties: { text: { pattern: '(?:a?){900}b$' } } } })
    expect(await invoke(costly, { text: 'a'.repeat(50_000) })).toEqual(
      failed('input cannot be checked: the patterns of the schema take too many steps for texts of this length.'),
    )
  })

  test('may be of draft 7', async () => {
    const input = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', definitions: {} }
    expect(await invoke(define({ input }), {})).toMatchObject({ outcome: 'succeeded' })
  })
})

test('input is parsed by a zod schema', async () => {
  const tool = await define({ input: z.strictObject({ text: z.string().trim().default('x') }) })
  expect(await invoke(tool, { text: ' a ' })).toEqual({ outcome: 'succeeded', output: { text: 'a' } })
  expect(await invoke(tool, { text: 5 })).toEqual(failed('input.text must be a string.'))
  expect(tool.inputSchema).toMatchObject({ type: 'object', properties: { text: { type: 'string' } } })
})

describe('a call', () => {
  test('passes the context to the tool, with ids as in the API', async () => {
    const run = vi.fn()
    await invoke(define({ run }), { text: 'ab' })
    const own = { signal: expect.any(AbortSignal), beforeSend: expect.any(Function), runId: toWireId('run', runId) }
    expect(run).toHaveBeenCalledExactlyOnceWith({ text: 'ab', size: 3 }, { ...context, ...own })
  })

  test('may use other members of the definition', async () => {
    class Counter {
      name = 'own'
      description = 'Counts'
      input = { type: 'object' }
      effect = 'read' as const
      count = 0
      run() {
        this.count += 1
        return this.count
      }
    }
    const tool = await toTool(new Counter(), testSchemas.runs)
    await invoke(tool, {})
    expect(await invoke(tool, {})).toEqual({ outcome: 'succeeded', output: 2 })
  })

  test.each([
    ['an error', new Error('No such ticket.'), failed('No such ticket.')],
    ['a text', 'No such ticket.', failed('No such ticket.')],
    [
      'an error with a reason of policy',
      Object.assign(new Error('Not yours.'), { policyReasonCode: 'not_yours' }),
      { outcome: 'policy_denied', reasonCode: 'not_yours', message: 'Not yours.' },
    ],
    [
      'an error that says that the call had no effect',
      Object.assign(new Error('Card declined.'), { effectDone: false }),
      { ...failed('Card declined.'), noEffect: true },
    ],
    [
      'an error with a reason that is no code',
      Object.assign(new Error('Not yours.'), { policyReasonCode: 'Not Yours' }),
      failed('Not yours.'),
    ],
  ])('that throws %s', async (_, error, result) => {
    const run = () => {
      throw error
    }
    expect(await invoke(define({ run }), { text: 'ab' })).toEqual(result)
  })

  test.each([new Error('Card declined.'), 'Card declined.'])(
    'whose errors all come before its effect: %s',
    async (error) => {
      const run = () => {
        throw error
      }
      const result = { ...failed('Card declined.'), noEffect: true }
      expect(await invoke(define({ run, errors: 'before_effect' }), { text: 'ab' })).toEqual(result)
    },
  )

  test('ends after its time', async () => {
    const tool = define({ run: () => new Promise(() => undefined), timeoutSeconds: 0.02 })
    expect(await invoke(tool, { text: 'ab' })).toMatchObject({ outcome: 'timeout' })
    expect((await define()).timeoutSeconds).toBe(60)
  })
})

describe('the effect and exposure of a call', () => {
  const effectOf = async (effect: ToolDefinition['effect']) => callEffect(await define({ effect }), { text: 'ab' })

  test('the effect may depend on the input', async () => {
    expect(await effectOf('idempotent')).toBe('idempotent')
    expect(await effectOf((input) => ((input as { size: number }).size === 3 ? 'read' : 'once'))).toBe('read')
  })

  test('the effect is once if the function fails', async () => {
    expect(await effectOf((() => undefined) as never)).toBe('once')
  })

  test('the exposure is that of the definition', async () => {
    const exposureOf = async (part: Partial<ToolDefinition>) => (await define(part)).exposureOf?.({})
    const everything = { readsPrivate: true, takesUntrusted: true, sendsOut: true }
    expect(await exposureOf({})).toEqual({})
    expect(await exposureOf({ exposure: { sendsOut: true } })).toEqual({ sendsOut: true })
    expect(await exposureOf({ exposure: () => ({ readsPrivate: true }) })).toEqual({ readsPrivate: true })
    expect(await exposureOf({ exposure: () => ({ all: true }) as never })).toEqual(everything)
    expect((await define({ policy: 'ask' })).policy).toBe('ask')
  })
})
