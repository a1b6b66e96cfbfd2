import { describe, expect, test } from 'vitest'
import { fakeExecution } from '../../../test/support/fake-execution.ts'
import { toolContext } from '../../../test/support/tool-context.ts'
import { showResult } from '../../agents/show-result.ts'
import { maxShownLength } from '../../agents/value-text.ts'
import { type CallResultEntry, journalEntry } from '../../domain/run/journal.ts'
import { ToolCatalogue } from '../../tools/port/catalogue.ts'
import { invokeTool } from '../../tools/port/invoke.ts'
import { readResultTool } from './read-result.ts'

const long = `${'x'.repeat(20_000)}the end`
const results = new Map<string, CallResultEntry>([
  ['call_long', { outcome: 'succeeded', output: long }],
  ['call_json', { outcome: 'succeeded', output: { price: 391 } }],
  ['call_failed', { outcome: 'failed', message: 'no connection' }],
])
const contentOf = (stepId: string) => (stepId === 'draft' ? long : undefined)
const catalogue = new ToolCatalogue([]).with(readResultTool({ calls: results, contentOf }))

/** Calls the tool as the engine does, its input checked. */
const read = (input: unknown) =>
  invokeTool({ catalogue, name: 'read_result', input, allowed: undefined, context: toolContext() })

test('reads on where the shown beginning ends, up to the end', async () => {
  expect(showResult('call_long', long)).toMatch(/\n\nx{16000}$/)
  const rest = await read({ call_id: 'call_long', offset: maxShownLength })
  expect(rest).toEqual({
    outcome: 'succeeded',
    output: { offset: maxShownLength, text: long.slice(maxShownLength), length: long.length },
  })
})

test('reads on in the result of a step', async () => {
  expect(await read({ call_id: 'step:draft', offset: 20_000 })).toMatchObject({ output: { text: 'the end' } })
  expect(await read({ call_id: 'step:other', offset: 0 })).toMatchObject({
    message: expect.stringContaining('There is no result of a call "step:other"'),
  })
})

test('a part names the offset of the next one', async () => {
  expect(await read({ call_id: 'call_long', offset: 20_000, length: 3 })).toMatchObject({
    output: { text: 'the', next_offset: 20_003 },
  })
})

test('a result that is not text is read as its JSON', async () => {
  expect(await read({ call_id: 'call_json', offset: 2 })).toMatchObject({ output: { text: 'price":391}' } })
})

test('an offset after the end reads nothing, and names no next part', async () => {
  expect(await read({ call_id: 'call_json', offset: 500 })).toEqual({
    outcome: 'succeeded',
    output: { offset: 500, text: '', length: 13 },
  })
})

describe('refuses, and says why,', () => {
  test.each(['call_gone', 'call_failed'])('%s, a call without a result', async (call_id) => {
    expect(await read({ call_id, offset: 0 })).toEqual({
      outcome: 'failed',
      message: `There is no result of a call "${call_id}" in this run.`,
    })
  })

  test.each([
    ['input.offset', 'a negative offset', { call_id: 'call_long', offset: -1 }],
    ['input.offset', 'no offset', { call_id: 'call_long' }],
    [
      'input.length',
      'more than is ever shown at once',
      { call_id: 'call_long', offset: 0, length: maxShownLength + 1 },
    ],
    ['input.limit', 'an unknown field', { call_id: 'call_long', offset: 0, limit: 3 }],
  ])('%s: %s', async (field, _, input) => {
    expect(await read(input)).toMatchObject({ outcome: 'failed', message: expect.stringContaining(field) })
  })
})

test('reads what it is given, also a result that arrives later', async () => {
  const { context, ledger } = fakeExecution()
  await ledger.apply({ journal: [journalEntry('result', 'c1', { outcome: 'succeeded', output: 'new' })] })
  const call = { name: 'read_result', input: { call_id: 'c1', offset: 0 }, allowed: undefined, context: toolContext() }
  expect(await invokeTool({ catalogue: context.catalogue, ...call })).toMatchObject({ output: { text: 'new' } })
})

test('only reads', () => {
  expect(readResultTool({ calls: results, contentOf }).effectOf({ call_id: 'call_long', offset: 0 })).toBe('read')
})
