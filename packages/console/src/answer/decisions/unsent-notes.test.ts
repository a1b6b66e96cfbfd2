import { expect, test } from 'vitest'
import { notesOf, StoredNotes } from './unsent-notes.ts'

const ada = { customer_id: 'acme', key_id: 'key_1', person: 'Ada' }
const machine = { customer_id: 'acme', key_id: 'key_2', person: null }
const note = { runId: 'run_1', awaitSeq: 7, action: 'approve', name: 'Chairs', wasSending: false } as const

const newStorage = () => {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

const keptBy = (by: typeof ada | typeof machine | undefined) => {
  const storage = newStorage()
  new StoredNotes(() => by, storage).keep('run_1:7', note)
  return new StoredNotes(() => undefined, storage).take()
}

test.each([
  ['the same key', ada, ada, 1],
  ['another key of the same person', ada, { ...ada, key_id: 'key_9' }, 1],
  ['the same key without a person', machine, machine, 1],
  ['another person of the customer', ada, { ...ada, key_id: 'key_9', person: 'Ben' }, 0],
  ['another key without a person', machine, { ...machine, key_id: 'key_9' }, 0],
  ['a person of the same name of another customer', ada, { ...ada, customer_id: 'other' }, 0],
  ['a key whose name is that of the person', ada, { customer_id: 'acme', key_id: 'Ada', person: null }, 0],
  ['who is not known yet', ada, undefined, 0],
] as const)('a note is told to %s: %#', (_who, before, now, count) => {
  expect(notesOf(keptBy(before), now)).toHaveLength(count)
})

test('a decision of who was not known yet is told to no one', () => {
  expect(notesOf(keptBy(undefined), undefined)).toEqual([])
  expect(notesOf(keptBy(undefined), ada)).toEqual([])
})

test('a note is told once', () => {
  const storage = newStorage()
  new StoredNotes(() => ada, storage).keep('run_1:7', note)
  const later = new StoredNotes(() => ada, storage)
  expect([later.take().length, later.take().length]).toEqual([1, 0])
})
