import { expect, test } from 'vitest'
import type { VectorChange } from '../../store/memory/vectors.ts'
import { normalize } from '../embedders/embedder.ts'
import { CustomerVectors, type NeighbourQuery } from './customer-vectors.ts'

const change = (
  id: string,
  numbers: readonly number[] | undefined,
  more: Partial<VectorChange> = {},
): VectorChange => ({
  id,
  version: 1,
  workspaceId: null,
  subjectId: null,
  kind: 'fact',
  vector: numbers && normalize(numbers),
  ...more,
})

const kept = (...changes: VectorChange[]): CustomerVectors => {
  const vectors = new CustomerVectors()
  for (const each of changes) vectors.apply(each)
  return vectors
}

const near = (vectors: CustomerVectors, numbers: readonly number[], more: Partial<NeighbourQuery> = {}) =>
  vectors
    .nearest({ vector: normalize(numbers), isWanted: () => true, limit: 10, minSimilarity: -1, ...more })
    .map(({ id }) => id)

const three = () => kept(change('a', [1, 0, 0, 0, 0]), change('b', [1, 1, 0, 0, 0]), change('c', [0, 1, 0, 0, 1]))

test('the closest come first, with the cosine of their angle', () => {
  expect(near(three(), [1, 0, 0, 0, 0])).toEqual(['a', 'b', 'c'])
  const query = { vector: normalize([0, 0, 0, 0, 1]), isWanted: () => true, limit: 1, minSimilarity: -1 }
  expect(three().nearest(query)[0]?.similarity).toBeCloseTo(Math.SQRT1_2, 6)
})

test('no more than asked for, and nothing that is too far', () => {
  expect(near(three(), [1, 0, 0, 0, 0], { limit: 2 })).toEqual(['a', 'b'])
  expect(near(three(), [1, 0, 0, 0, 0], { minSimilarity: 0.9 })).toEqual(['a'])
})

test('equals stand in one order, however they came in', () => {
  const same = ['a', 'c', 'b'].map((id) => change(id, [1, 0]))
  expect(near(kept(...same), [1, 0], { limit: 2 })).toEqual(['c', 'b'])
  expect(near(kept(...same.toReversed()), [1, 0], { limit: 2 })).toEqual(['c', 'b'])
})

test('only items of wanted groups are found', () => {
  const vectors = kept(
    change('none', [1, 0]),
    change('w', [1, 0], { workspaceId: 'w' }),
    change('ws', [1, 0], { workspaceId: 'w', subjectId: 's' }),
    change('rule', [1, 0], { workspaceId: 'w', kind: 'procedure' }),
  )
  expect(near(vectors, [1, 0], { isWanted: ({ workspaceId }) => workspaceId === 'w' })).toEqual(['ws', 'w', 'rule'])
  expect(near(vectors, [1, 0], { isWanted: ({ kind }) => kind === 'procedure' })).toEqual(['rule'])
})

test('removing an item leaves the others unchanged', () => {
  const vectors = three()
  vectors.apply(change('a', undefined, { version: 2 }))
  expect(near(vectors, [1, 0, 0, 0, 0])).toEqual(['b', 'c'])
  vectors.apply(change('c', undefined, { version: 3 }))
  expect(near(vectors, [0, 1, 0, 0, 1])).toEqual(['b'])
  vectors.apply(change('unknown', undefined))
  expect(vectors.size).toBe(1)
})

test('an older change of an item does not undo a newer one', () => {
  const vectors = kept(change('a', [1, 0], { version: 5 }), change('a', [0, 1], { version: 4 }))
  expect(near(vectors, [1, 0], { minSimilarity: 0.9 })).toEqual(['a'])
  vectors.apply(change('a', [0, 1], { version: 6 }))
  expect(near(vectors, [1, 0], { minSimilarity: 0.9 })).toEqual([])
})

test('vectors of another length are never compared', () => {
  const vectors = kept(change('two', [1, 0]), change('three', [1, 0, 0]))
  expect(near(vectors, [1, 0])).toEqual(['two'])
  expect(near(vectors, [1, 0, 0])).toEqual([])
})

test('its size grows with its items', () => {
  const vectors = kept(...Array.from({ length: 1_000 }, (_, n) => change(`id${n}`, [n + 1, 1, 0, 0])))
  expect(vectors.size).toBe(1_000)
  expect(vectors.bytes).toBeGreaterThanOrEqual(1_000 * 4 * 4)
  expect(near(vectors, [1, 1, 0, 0], { limit: 1 })).toEqual(['id0'])
})
