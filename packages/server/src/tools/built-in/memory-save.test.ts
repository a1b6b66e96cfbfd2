import { expect, test } from 'vitest'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import type { Tool, ToolCallContext } from '../port/tool.ts'
import { maxContentLength, maxTitleLength, memorySave, type NoteToSave } from './memory-save.ts'

const context: ToolCallContext = {
  signal: new AbortController().signal,
  customerId: 'acme',
  workspaceId: 'w',
  subjectId: 's',
  runId: '00000000-0000-7000-8000-000000000001',
  toolCallId: 'call_1',
  idempotencyKey: 'call_1',
  beforeSend: () => undefined,
}

async function save(input: unknown) {
  const saved: [NoteToSave, ToolCallContext][] = []
  const tool = memorySave({
    save: async (...call) => {
      saved.push(call)
      return 'mem_1'
    },
  })
  const catalogue = new ToolCatalogue([tool as Tool])
  const result = await invokeTool({ catalogue, name: 'memory_save', input, allowed: undefined, context })
  return { result, saved }
}

test('a note is saved for the run that asks, and its id comes back', async () => {
  const { result, saved } = await save({
    title: ' Limit ',
    content: 'It is 1,000.',
    kind: 'procedure',
    tags: ['a', 'a'],
  })
  expect(result).toEqual({ outcome: 'succeeded', output: { id: 'mem_1' } })
  expect(saved[0]?.[0]).toEqual({
    title: 'Limit',
    content: 'It is 1,000.',
    kind: 'procedure',
    tags: ['a'],
    confidence: null,
  })
  expect((await save({ title: 'a', content: 'b', confidence: 0.4 })).saved[0]?.[0]).toMatchObject({ confidence: 0.4 })
  expect(saved[0]?.[1]).toMatchObject({
    customerId: 'acme',
    workspaceId: 'w',
    subjectId: 's',
    idempotencyKey: 'call_1',
  })
})

test('it is a fact without tags unless said otherwise', async () => {
  const { saved } = await save({ title: 'Limit', content: 'It is 1,000.' })
  expect(saved[0]?.[0]).toMatchObject({ kind: 'fact', tags: [] })
})

test('characters that the database cannot store are replaced', async () => {
  const { saved } = await save({ title: 'a\u0000b', content: 'c\ud800', tags: ['\u0000x'] })
  expect(saved[0]?.[0]).toMatchObject({ title: 'a\ufffdb', content: 'c\ufffd', tags: ['\ufffdx'] })
})

const note = { title: 'Limit', content: 'It is 1,000.' }
test.each([
  [{ content: 'x' }, 'input.title is required.'],
  [{ title: 'x' }, 'input.content is required.'],
  [{ ...note, title: '   ' }, 'input.title must have at least 1 character.'],
  [{ ...note, title: 'x'.repeat(maxTitleLength + 1) }, 'input.title must have at most 200 characters.'],
  [{ ...note, content: 'x'.repeat(maxContentLength + 1) }, 'input.content must have at most 8000 characters.'],
  [{ ...note, kind: 'gossip' }, 'input.kind must be one of "fact", "preference", "procedure", "episode".'],
  [{ ...note, tags: Array.from({ length: 21 }, (_, n) => `${n}`) }, 'input.tags must have at most 20 items.'],
  [{ ...note, tags: ['x'.repeat(51)] }, 'input.tags[0] must have at most 50 characters.'],
  [{ ...note, customer_id: 'other' }, 'input.customer_id is not a known field.'],
])('invalid input is rejected with a message: %#', async (input, message) => {
  const { result, saved } = await save(input)
  expect(result).toEqual({ outcome: 'failed', message })
  expect(saved).toEqual([])
})

test('it is idempotent, and has a schema for models', () => {
  const tool = memorySave({ save: async () => '' })
  expect(tool.effectOf({ ...note, kind: 'fact', tags: [] })).toBe('idempotent')
  const [offer] = new ToolCatalogue([tool as Tool]).offers()
  expect(offer?.inputSchema).toMatchObject({ type: 'object', required: ['title', 'content'] })
})
