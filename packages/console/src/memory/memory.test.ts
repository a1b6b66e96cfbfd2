import type { MemoryItem } from '@runwright/contract'
import { expect, test } from 'vitest'
import { matchingItems } from './matching-items.ts'
import { memoryQueryOf, memorySearchOf } from './memory-search.ts'

const item = (changes: Partial<MemoryItem>): MemoryItem => ({
  id: 'mem_1',
  workspace_id: null,
  subject_id: null,
  run_id: null,
  kind: 'fact',
  status: 'active',
  harness: false,
  title: 'Approval limit',
  content: 'Payments over 1,000.00 need an approval.',
  tags: ['finance'],
  confidence: null,
  superseded_by: null,
  embedding_model: null,
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  ...changes,
})

test.each(['approval', 'PAYMENTS over', 'finance limit', ''])('%j is found in title, content and tags', (words) => {
  expect(matchingItems([item({})], { kind: undefined, words })).toHaveLength(1)
})

test('all words must be there, and the kind must be the same', () => {
  expect(matchingItems([item({})], { kind: undefined, words: 'approval holidays' })).toEqual([])
  expect(matchingItems([item({}), item({ kind: 'procedure' })], { kind: 'procedure', words: '' })).toHaveLength(1)
})

test('the URL has only what the page knows', () => {
  expect(memorySearchOf({ status: 'active', kind: 'fact', item: 'mem_1', colour: 'red' })).toEqual({
    status: 'active',
    kind: 'fact',
    item: 'mem_1',
  })
  expect(memorySearchOf({ status: 'lost', kind: 'dream', workspace_id: '' })).toEqual({})
})

test('episodes are asked for only when they are shown', () => {
  expect(memoryQueryOf({ kind: 'fact', status: 'active', item: 'mem_1' })).toEqual({ status: 'active' })
  expect(memoryQueryOf({ kind: 'episode' })).toEqual({ include_harness: true })
})
