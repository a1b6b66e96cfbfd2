import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { chooseEmbedder } from './choose-embedder.ts'
import type { Embedder } from './embedder.ts'
import { OfflineEmbedder } from './offline-embedder.ts'

interface Asked {
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly input: readonly string[] }
}

let server: Server
let baseUrl: string
let asked: Asked[]
let answer: (texts: readonly string[]) => number[][]
let status: number

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    asked.push({ url: request.url, authorization: request.headers.authorization, body })
    const data = answer(body.input).map((embedding, index) => ({ object: 'embedding', index, embedding }))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ object: 'list', model: body.model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
beforeEach(() => {
  asked = []
  status = 200
  answer = (texts) => texts.map((_, n) => [3, 4, n])
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const open = (apiKey: string | undefined = 'sk-test'): Promise<Embedder> =>
  chooseEmbedder('openai-compatible/text-embedding-3-small', () => ({ baseUrl, apiKey }))

test('it asks the server for the model, with the key, and makes the vectors length 1', async () => {
  const embedder = await open()
  const [vector] = await embedder.embed(['hello', 'you'])
  expect(Array.from(vector ?? [])).toEqual([Math.fround(0.6), Math.fround(0.8), 0])
  expect(asked).toEqual([
    {
      url: '/v1/embeddings',
      authorization: 'Bearer sk-test',
      body: { model: 'text-embedding-3-small', input: ['hello', 'you'], encoding_format: 'float' },
    },
  ])
  expect(embedder.model).toBe('openai-compatible/text-embedding-3-small')
})

test('the dimensions are those of the first response, and may not change', async () => {
  const embedder = await open()
  expect(embedder.dimensions).toBeUndefined()
  await embedder.embed(['a'])
  expect(embedder.dimensions).toBe(3)
  answer = () => [[1, 0]]
  await expect(embedder.embed(['b'])).rejects.toThrow('the embedding server returned 2 dimensions instead of 3')
})

test.each<[string, () => void]>([
  ['too few embeddings', () => (answer = () => [[1, 2, 3]])],
  [
    'a vector without direction',
    () =>
      (answer = () => [
        [0, 0],
        [0, 0],
      ]),
  ],
  ['a refusal', () => (status = 400)],
])('%s is a failure', async (_what, arrange) => {
  arrange()
  await expect((await open()).embed(['a', 'b'])).rejects.toThrow()
})

test('a failure has the status, and nothing of the request', async () => {
  status = 400
  const error = await (await open()).embed(['private']).catch((failure: unknown) => failure)
  expect(error).toEqual(new Error('the embedding server responded with status 400'))
  expect(inspect(error)).not.toContain('private')
})

test('nothing is asked for no texts', async () => {
  expect(await (await open()).embed([])).toEqual([])
  expect(asked).toEqual([])
})

test('the offline model needs no server', async () => {
  const embedder = await chooseEmbedder('offline', () => {
    throw new Error('not asked')
  })
  expect(embedder).toBeInstanceOf(OfflineEmbedder)
})

test('any other name stops the start with a message', async () => {
  await expect(chooseEmbedder('word2vec', () => ({ baseUrl, apiKey: undefined }))).rejects.toThrow(
    'RUNWRIGHT_EMBEDDING_MODEL: unknown model "word2vec". Use offline or openai-compatible/<model>.',
  )
})
