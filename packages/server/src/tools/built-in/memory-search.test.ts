import { expect, test } from 'vitest'
import type { MemoryRecord } from '../../store/memory/rows.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import type { Tool, ToolCallContext } from '../port/tool.ts'
import { memorySearch, type NoteSearcher } from './memory-search.ts'

const context: ToolCallContext = {
  signal: new AbortController().signal,
  customerId: 'acme',
  workspaceId: null,
  subjectId: null,
  runId: '00000000-0000-7000-8000-000000000001',
  toolCallId: 'call_1',
  idempotencyKey: 'call_1',
  beforeSend: () => undefined,
}

const record: MemoryRecord = {
  id: '00000000-0000-7000-8000-000000000002',
  workspaceId: 'w',
  subjectId: null,
  runId: null,
  kind: 'fact',
  status: 'active',
  harness: false,
  title: 'Limit',
  content: 'It is 1,000.',
  tags: ['a'],
  confidence: null,
  untrusted: false,
  supersededBy: null,
  embeddingModel: 'm',
  createdAt: new Date('2026-11-15T09:00:00.120Z'),
  updatedAt: new Date('2026-11-15T09:00:00.120Z'),
}

async function search(input: unknown) {
  const asked: Parameters<NoteSearcher['search']>[] = []
  const tool = memorySearch({
    search: async (...call) => {
      asked.push(call)
      return [{ record, score: 0.98765 }]
    },
  })
  const catalogue = new ToolCatalogue([tool as Tool])
  const result = await invokeTool({ catalogue, name: 'memory_search', input, allowed: undefined, context })
  return { result, asked }
}

test('notes are returned as items', async () => {
  const { result, asked } = await search({ query: ' limit ', limit: 3 })
  const item = { id: 'mem_0000000000e008000000000002', kind: 'fact', title: 'Limit', content: 'It is 1,000.' }
  expect(result).toEqual({
    outcome: 'succeeded',
    output: { items: [{ ...item, tags: ['a'], score: 0.988, created_at: '2026-11-15T09:00:00.120Z' }] },
  })
  expect(asked).toEqual([[{ text: 'limit', limit: 3 }, expect.objectContaining({ customerId: 'acme' })]])
})

test('five are asked for unless said otherwise', async () => {
  expect((await search({ query: 'limit' })).asked[0]?.[0]).toEqual({ text: 'limit', limit: 5 })
})

test.each<[object, string]>([
  [{}, 'input.query is required.'],
  [{ query: ' ' }, 'input.query must have at least 1 character.'],
  [{ query: 'x'.repeat(1_001) }, 'input.query must have at most 1000 characters.'],
  [{ query: 'x', limit: 0 }, 'input.limit must be at least 1.'],
  [{ query: 'x', limit: 21 }, 'input.limit must be at most 20.'],
  [{ query: 'x', limit: 1.5 }, 'input.limit must be an integer.'],
  [{ query: 'x', workspace_id: 'v' }, 'input.workspace_id is not a known field.'],
])('invalid input is rejected with a message: %#', async (input, message) => {
  const { result, asked } = await search(input)
  expect(result).toEqual({ outcome: 'failed', message })
  expect(asked).toEqual([])
})

test('its effect is read, and its output is private', () => {
  const tool = memorySearch({ search: async () => [] })
  expect(tool.effectOf({ query: 'x', limit: 1 })).toBe('read')
  expect(tool.exposureOf?.({ query: 'x', limit: 1 })).toEqual({ readsPrivate: true, takesUntrusted: true })
  expect([{ items: [] }, { items: [record] }].map((output) => tool.foundNothing?.(output))).toEqual([true, false])
})
