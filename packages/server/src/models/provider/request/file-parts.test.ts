// Files in requests to the strict mocks of all wire formats: what the provider receives.
import { afterEach, describe, expect, test } from 'vitest'
import { gif, pdf, png } from '../../../../test/support/files.ts'
import {
  type MockProvider,
  type ProviderFormat,
  startMockProvider,
} from '../../../../test/support/providers/mock-provider.ts'
import { fail, type NeutralRequest, type Script, say } from '../../../../test/support/providers/script.ts'
import type { ProviderOptions } from '../../../../test/support/providers/wire-format.ts'
import type { AttachedFile, Message, Model } from '../../port/model.ts'
import { PromptFile } from '../../port/prompt-file.ts'
import { openProviderModel } from '../open-model.ts'
import type { WireFormat } from '../sdk/language-model.ts'
import type { Quirk } from '../sdk/quirks.ts'

const mocks: readonly (readonly [WireFormat, ProviderFormat])[] = [
  ['openai', 'openai-responses'],
  ['openai-chat', 'openai-chat'],
  ['openai-compatible', 'openai-chat'],
  ['anthropic', 'anthropic'],
  ['google', 'gemini'],
]
const models = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' } as Record<
  string,
  string
>

let provider: MockProvider
afterEach(() => provider.close())

const quirks: Quirk[] = []

interface OpenOptions extends ProviderOptions {
  readonly acceptsFiles?: readonly string[]
  readonly script?: Script
}

async function open(format: WireFormat, options: OpenOptions = {}): Promise<Model> {
  const { acceptsFiles, script = () => say('Seen.'), ...rest } = options
  const [, mock] = mocks.find(([name]) => name === format) ?? []
  provider = await startMockProvider(mock as ProviderFormat, script, rest)
  quirks.length = 0
  return openProviderModel({
    name: `${format}/m`,
    format,
    model: models[format] ?? 'gpt-4o',
    server: { baseUrl: provider.baseUrl, apiKey: 'sk-test' },
    ...(acceptsFiles && { acceptsFiles }),
    onQuirk: (quirk) => void quirks.push(quirk),
  })
}

const file = (ref: string, mediaType: string, data: Uint8Array) => new PromptFile({ ref, mediaType, data })
const image = file('https://shop.example/cat.png', 'image/png', png)
const document = file('https://shop.example/bill.pdf', 'application/pdf', pdf)
const moving = file('https://shop.example/cat.gif', 'image/gif', gif)

async function ask(model: Model, files: readonly AttachedFile[], more: readonly Message[] = []) {
  const outcome = await model.respond({
    role: 'worker',
    messages: [{ from: 'system', text: 'Be short.' }, { from: 'user', text: 'Look.', files }, ...more],
    tools: [],
    outputSchema: undefined,
    maxOutputTokens: 100,
    signal: new AbortController().signal,
    onText: () => undefined,
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
  })
  expect(outcome).toMatchObject({ kind: 'reply', text: 'Seen.' })
  return provider.requests.at(-1) as NeutralRequest
}

const filesIn = (request: NeutralRequest) => request.messages.flatMap(({ files = [] }) => files)
const sent = ({ mediaType, data }: AttachedFile) => ({ mediaType, data: Buffer.from(data).toString('base64') })
const everything = ['image/*', 'application/pdf']

describe.each(mocks.map(([format]) => format))('%s', (format) => {
  test('gets images and PDF after the text, in the form of the provider', async () => {
    const request = await ask(await open(format, { acceptsFiles: everything }), [image, document])
    expect(filesIn(request)).toEqual([sent(image), sent(document)])
    expect(request.messages).toMatchObject([{ from: 'user', text: 'Look.' }])
    expect(provider.refusals).toEqual([])
  })

  test('gets the files of messages that are joined', async () => {
    const model = await open(format, { acceptsFiles: everything })
    const request = await ask(model, [image], [{ from: 'user', text: 'And this.', files: [document] }])
    expect(filesIn(request)).toEqual([sent(image), sent(document)])
  })

  test('is told in words about a file that it does not take', async () => {
    const request = await ask(await open(format, { acceptsFiles: ['application/pdf'] }), [image, document])
    expect(filesIn(request)).toEqual([sent(document)])
    expect(request.messages[0]?.text).toBe('Look.\n\nYou cannot see the file https://shop.example/cat.png (image/png).')
  })

  test('that takes text only is asked again in words, and no later call sends a file', async () => {
    const model = await open(format, { acceptsFiles: everything, textOnly: true })
    const request = await ask(model, [image])
    expect(filesIn(request)).toEqual([])
    expect(request.messages[0]?.text).toContain('You cannot see the file https://shop.example/cat.png')
    expect(quirks).toEqual(['no_files'])
    await ask(model, [file('https://shop.example/2.png', 'image/png', Buffer.from(png))])
    expect(provider.refusals).toHaveLength(1)
  })

  test('that refuses one file still gets those of others', async () => {
    const model = await open(format, { acceptsFiles: everything })
    // An image to a glance at its first bytes, but not to the mock if it claims another type.
    const broken = file('https://evil.example/x.jpg', 'image/jpeg', Buffer.from(png))
    const request = await ask(model, [broken])
    expect(filesIn(request)).toEqual([])
    expect(request.messages[0]?.text).toContain('You cannot see the file https://evil.example/x.jpg')
    await ask(model, [broken])
    expect(provider.refusals).toHaveLength(1)
    expect(filesIn(await ask(model, [image]))).toEqual([sent(image)])
    expect(quirks).toEqual([])
  })
})

test.each([
  ['openai', ['image/png', 'image/gif', 'application/pdf']],
  ['anthropic', ['image/png', 'image/gif', 'application/pdf']],
  // Gemini refuses GIF.
  ['google', ['image/png', 'application/pdf']],
  ['openai-chat', []],
  ['openai-compatible', []],
] as const)('unless told otherwise, %s gets %j', async (format, types) => {
  const request = await ask(await open(format), [image, moving, document])
  expect(filesIn(request).map(({ mediaType }) => mediaType)).toEqual(types)
  expect(provider.refusals).toEqual([])
})

test('a model that has accepted a file keeps getting files, whatever it says about one', async () => {
  let refuse = false
  const answer = () => (refuse ? fail('bad_request', { message: 'This image is not supported.' }) : say('Seen.'))
  const script: Script = ({ messages }) => (messages[0]?.files ? answer() : say('Seen.'))
  const model = await open('openai', { script })
  await ask(model, [image])
  refuse = true
  expect(filesIn(await ask(model, [file('https://a.example/b', 'image/png', Buffer.from(png))]))).toEqual([])
  refuse = false
  expect(filesIn(await ask(model, [image]))).toEqual([sent(image)])
  expect(quirks).toEqual([])
})

test('a request that is too large for the server is sent again without files', async () => {
  const tooLarge = fail('bad_request', { status: 413, body: '<h1>413 Request Entity Too Large</h1>' })
  const model = await open('openai', { script: ({ messages }) => (messages[0]?.files ? tooLarge : say('Seen.')) })
  const request = await ask(model, [image])
  expect(request.messages[0]?.text).toContain('You cannot see the file https://shop.example/cat.png')
  expect(quirks).toEqual([])
})

test('a refusal that does not concern files is not blamed on them', async () => {
  const model = await open('openai', { script: () => fail('bad_request', { message: 'The seed is odd.' }) })
  const outcome = model.respond({
    role: 'worker',
    messages: [{ from: 'user', text: 'Look.', files: [image] }],
    tools: [],
    outputSchema: undefined,
    maxOutputTokens: undefined,
    signal: new AbortController().signal,
    onText: () => undefined,
    rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
  })
  expect(await outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_error' })
  expect(provider.requests).toHaveLength(1)
})
