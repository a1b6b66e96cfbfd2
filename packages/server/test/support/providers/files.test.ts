// Images and documents: what each wire format refuses, as its provider does.
import { afterEach, describe, expect, test } from 'vitest'
import { gif, pdf, png } from '../files.ts'
import { type Post, post } from './client.ts'
import { type MockProvider, type ProviderFormat, providerFormats, startMockProvider } from './mock-provider.ts'
import { say } from './script.ts'
import { smallestRequest } from './smallest-request.ts'

let provider: MockProvider
afterEach(() => provider.close())

const url = (type: string, data: string) => `data:${type};base64,${data}`

/** A request with one image or document of this type and base64 text. */
const withFile: Record<ProviderFormat, (type: string, data: string) => object> = {
  'openai-chat': (type, data) => ({ messages: [{ role: 'user', content: [chatPart(type, data)] }] }),
  'openai-responses': (type, data) => ({ input: [{ role: 'user', content: [responsesPart(type, data)] }] }),
  anthropic: (type, data) => ({
    messages: [
      {
        role: 'user',
        content: [{ type: isPdf(type) ? 'document' : 'image', source: { type: 'base64', media_type: type, data } }],
      },
    ],
  }),
  gemini: (type, data) => ({ contents: [{ role: 'user', parts: [{ inlineData: { mimeType: type, data } }] }] }),
}

const isPdf = (type: string) => type === 'application/pdf'
const chatPart = (type: string, data: string) =>
  isPdf(type)
    ? { type: 'file', file: { filename: 'a.pdf', file_data: url(type, data) } }
    : { type: 'image_url', image_url: { url: url(type, data) } }
const responsesPart = (type: string, data: string) =>
  isPdf(type)
    ? { type: 'input_file', filename: 'a.pdf', file_data: url(type, data) }
    : { type: 'input_image', image_url: url(type, data) }

const requestWith = (format: ProviderFormat, part: object): Post => {
  const { body, ...rest } = smallestRequest(format, false)
  return { ...rest, body: { ...(body as object), ...part } }
}

describe.each(providerFormats)('%s', (format) => {
  async function send(type: string, data: string, options = {}) {
    provider = await startMockProvider(format, [say('Seen.')], options)
    return post(provider, requestWith(format, withFile[format](type, data)))
  }

  test.each([
    ['image/png', png],
    ['application/pdf', pdf],
  ])('%s is accepted', async (mediaType, bytes) => {
    const data = bytes.toString('base64')
    expect((await send(mediaType, data)).status).toBe(200)
    expect(provider.requests[0]?.messages).toMatchObject([{ from: 'user', files: [{ mediaType, data }] }])
  })

  test.each([
    ['of an unknown type', 'image/tiff', png.toString('base64')],
    ['without valid base64', 'image/png', '???'],
    ['of another type than it claims', 'image/png', gif.toString('base64')],
    ['that is not a PDF', 'application/pdf', png.toString('base64')],
  ])('a file %s is refused', async (_, type, data) => {
    expect((await send(type, data)).status).toBe(400)
    expect(provider.requests).toEqual([])
  })

  test('a model of text only refuses every file', async () => {
    expect((await send('image/png', png.toString('base64'), { textOnly: true })).status).toBe(400)
    expect(provider.refusals[0]?.message).toMatch(/support|enabled/)
  })
})

test('Gemini refuses GIF, the others do not', async () => {
  const statuses: number[] = []
  for (const format of providerFormats) {
    provider = await startMockProvider(format, [say('Seen.')])
    const part = withFile[format]('image/gif', gif.toString('base64'))
    statuses.push((await post(provider, requestWith(format, part))).status)
    await provider.close()
  }
  expect(Object.fromEntries(providerFormats.map((format, at) => [format, statuses[at]]))).toEqual({
    'openai-chat': 200,
    'openai-responses': 200,
    anthropic: 200,
    gemini: 400,
  })
  provider = await startMockProvider('gemini', [])
})

test('Anthropic refuses an image of more than 5 MiB in base64', async () => {
  provider = await startMockProvider('anthropic', [say('Seen.'), say('Seen.')])
  const send = (bytes: number) => {
    const data = Buffer.concat([png, Buffer.alloc(bytes - png.length)]).toString('base64')
    return post(provider, requestWith('anthropic', withFile.anthropic('image/png', data)))
  }
  expect([(await send(3_932_160)).status, (await send(3_932_161)).status]).toEqual([200, 400])
})

test.each([
  [
    'openai-chat',
    {
      messages: [
        { role: 'user', content: [{ type: 'file', file: { file_data: url('application/pdf', 'JVBERi0=') } }] },
      ],
    },
  ],
  [
    'openai-responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data: url('application/pdf', 'JVBERi0=') }] }] },
  ],
] as const)('%s refuses a PDF without a name', async (format, part) => {
  provider = await startMockProvider(format, [say('Seen.')])
  expect((await post(provider, requestWith(format, part))).text).toContain('filename')
})
