import { expect, test } from 'vitest'
import { WordEmbedder } from '../../../test/support/embedder.ts'
import { embedWithin, normalize, textToEmbed } from './embedder.ts'

test('a vector is scaled to length 1 and keeps its direction', () => {
  expect(Array.from(normalize([3, -4]))).toEqual([Math.fround(0.6), Math.fround(-0.8)])
})

test.each([[[0, 0]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY, 1]], [[]]])('%j has no direction', (numbers) => {
  expect(() => normalize(numbers)).toThrow('zero or not finite')
})

test('title and content are embedded together, up to a limit', () => {
  expect(textToEmbed({ title: 'a', content: 'b' })).toBe('a\nb')
  expect(textToEmbed({ title: 'a', content: 'b'.repeat(10_000) })).toHaveLength(8_000)
})

test('one text gives one vector', async () => {
  expect(await embedWithin(new WordEmbedder(), 'a', { seconds: 5 })).toHaveLength(64)
})

test('a model that takes too long times out', async () => {
  const embedder = new WordEmbedder()
  embedder.held = new Promise(() => undefined)
  await expect(embedWithin(embedder, 'a', { seconds: 0.01 })).rejects.toThrow('no embedding within 0.01 seconds')
})

test('an abort ends the wait for a model', async () => {
  const embedder = new WordEmbedder()
  embedder.held = new Promise(() => undefined)
  const signal = AbortSignal.timeout(1)
  await expect(embedWithin(embedder, 'a', { seconds: 600, signal })).rejects.toThrow()
})
