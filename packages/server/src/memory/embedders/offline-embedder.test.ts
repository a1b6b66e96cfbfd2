import { afterAll, expect, test } from 'vitest'
import { OfflineEmbedder } from './offline-embedder.ts'

const embedder = new OfflineEmbedder()
afterAll(() => embedder.close())

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, n) => sum + value * (other[n] as number), 0)

const embed = async (...texts: string[]) => (await embedder.embed(texts)) as [Float32Array, ...Float32Array[]]

test('a text gives the same vector of length 1 every time, whatever the other texts', async () => {
  const [alone] = await embed('The approval limit is 1,000.')
  const [, beside] = await embed('Something else', 'The approval limit is 1,000.')
  expect(alone).toHaveLength(embedder.dimensions)
  expect(beside).toEqual(alone)
  expect(cosine(alone, alone)).toBeCloseTo(1, 5)
})

test('texts that mean the same are closer than texts that do not', async () => {
  const [one, same, other] = (await embed('The car is fast.', 'A quick automobile.', 'Soup is hot.')) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  expect(cosine(one, same)).toBeGreaterThan(cosine(one, other) + 0.2)
})

test('concurrent requests each get their own vectors', async () => {
  const texts = ['one', 'two words', 'three more words', '😀 ü 你好']
  const together = await Promise.all(texts.map((text) => embed(text)))
  for (const [n, text] of texts.entries()) expect((await embed(text))[0]).toEqual(together[n]?.[0])
})

test('the event loop is not blocked while the model runs', async () => {
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 5)
  await embed(...Array.from({ length: 20 }, (_, n) => `A sentence that is long enough to take its time, number ${n}.`))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})

test('a bad request is rejected, and the next one succeeds', async () => {
  await expect(embedder.embed([''])).rejects.toThrow()
  expect(await embed('something')).toHaveLength(1)
  expect(await embedder.embed([])).toEqual([])
})

test('closing rejects pending requests, and the next request starts a new thread', async () => {
  const waiting = expect(embedder.embed(['late'])).rejects.toThrow('closed')
  await embedder.close()
  await waiting
  expect(await embed('again')).toHaveLength(1)
})
