// Tests the model with a fake SDK language model that plays the parts of the test, on a fake clock.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ModelRequest } from '../port/model.ts'
import type { LanguageModel, ProviderCall, ReplyPart } from './sdk/language-model.ts'
import { type Quirk, Quirks } from './sdk/quirks.ts'
import { extractMetadata } from './sdk/reply-metadata.ts'
import { SdkModel } from './sdk-model.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  // No timer may be left behind.
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const silenceMs = 1_000

/** Lets time pass in small steps: a pause that begins after another is then begun at its time. */
async function elapse(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) await vi.advanceTimersByTimeAsync(50)
}

/** A pause in a stream, and an end without a finish part. */
type Played = ReplyPart | { readonly pauseMs: number } | Error
type Answer = readonly Played[] | Error

const pause = (ms: number) => ({ pauseMs: ms })

const passed = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

function play(parts: readonly Played[], signal: AbortSignal | undefined): ReadableStream<ReplyPart> {
  const left = [...parts]
  return new ReadableStream<ReplyPart>({
    // Goes on after a pause in the same pull: a stream is not pulled again for a read that is pending already.
    pull: async (controller) => {
      for (let next = left.shift(); ; next = left.shift()) {
        if (next === undefined) return controller.close()
        if (next instanceof Error) return controller.error(next)
        if (!('pauseMs' in next)) return controller.enqueue(next)
        await passed(next.pauseMs, signal)
        if (signal?.aborted) return controller.error(signal.reason)
      }
    },
  })
}

function bench(...answers: Answer[]) {
  const calls: ProviderCall[] = []
  const quirks: Quirk[] = []
  const languageModel = {
    doStream: async (call: ProviderCall) => {
      const answer = answers[calls.length] ?? []
      calls.push(call)
      if (answer instanceof Error) throw answer
      return { stream: play(answer, call.abortSignal) }
    },
  } as unknown as LanguageModel
  const model = new SdkModel({
    name: 'test/m',
    languageModel,
    apiKey: undefined,
    quirks: new Quirks((quirk) => void quirks.push(quirk)),
    silenceMs,
  })
  const ask = (asked: Partial<ModelRequest> = {}) =>
    model.respond({
      role: 'worker',
      messages: [
        { from: 'system', text: 'Be short.' },
        { from: 'user', text: 'hello' },
      ],
      tools: [],
      outputSchema: undefined,
      maxOutputTokens: undefined,
      signal: new AbortController().signal,
      onText: () => undefined,
      rehearsal: { script: undefined, agentStep: 0, failures: 0, turn: 0, isLast: undefined },
      ...asked,
    })
  return { ask, calls, quirks }
}

const text = (delta: string): ReplyPart => ({ type: 'text-delta', id: 't', delta })
const raw = (rawValue: unknown): ReplyPart => ({ type: 'raw', rawValue })
const call = (toolCallId: string, input = '{}'): ReplyPart => ({ type: 'tool-call', toolCallId, toolName: 'x', input })
const finish = (unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' = 'stop', tokens = 5): ReplyPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: tokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 0, text: undefined, reasoning: undefined },
  },
})

describe('silence', () => {
  const silent = { kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call' }

  test('before the first token ends the call', async () => {
    const outcome = bench([pause(silenceMs + 1), text('late'), finish()]).ask()
    await elapse(silenceMs)
    const message = 'The provider sent nothing for 1 s.'
    expect(await outcome).toEqual({ ...silent, message, text: '', usage: undefined })
  })

  test('in mid-stream ends it too; the text is kept and metered', async () => {
    const outcome = bench([pause(900), text('half'), pause(silenceMs + 1), text('late'), finish()]).ask()
    await elapse(900 + silenceMs)
    expect(await outcome).toMatchObject({ ...silent, text: 'half', usage: { output: 1, estimated: true } })
  })

  test('counts between two tokens, not over the whole reply', async () => {
    const slow = Array.from({ length: 5 }, (_, index) => [pause(900), text(String(index))]).flat()
    const outcome = bench([...slow, finish()]).ask()
    await elapse(5 * 900)
    expect(await outcome).toMatchObject({ kind: 'reply', text: '01234' })
  })

  test.each<[string, ReplyPart]>([
    ['reasoning', { type: 'reasoning-delta', id: 'r', delta: 'hm' }],
    ['arguments of a call', { type: 'tool-input-delta', id: 'c', delta: '{' }],
    ['the beginning of a call', { type: 'tool-input-start', id: 'c', toolName: 'x' }],
  ])('%s is not silence', async (_, part) => {
    const outcome = bench([pause(900), part, pause(900), text('hi'), finish()]).ask()
    await elapse(1_800)
    expect(await outcome).toMatchObject({ kind: 'reply', text: 'hi' })
  })

  test('chunks that only keep the connection open are silence', async () => {
    const outcome = bench([pause(900), raw({}), pause(900), text('hi'), finish()]).ask()
    await elapse(silenceMs)
    expect(await outcome).toMatchObject(silent)
  })

  test('a slow listener does not count as silence of the provider', async () => {
    const onText = () => new Promise<void>((resolve) => setTimeout(resolve, 3 * silenceMs))
    const outcome = bench([text('a'), text('b'), finish()]).ask({ onText })
    await elapse(6 * silenceMs)
    expect(await outcome).toMatchObject({ kind: 'reply', text: 'ab' })
  })

  test('an abort during silence is an abort', async () => {
    const abort = new AbortController()
    const outcome = bench([text('half'), pause(silenceMs * 2)]).ask({ signal: abort.signal })
    await elapse(10)
    abort.abort()
    expect(await outcome).toMatchObject({ kind: 'aborted', text: 'half', usage: { output: 1, estimated: true } })
  })
})

describe('a reply', () => {
  test('cut at the length limit says so', async () => {
    expect(await bench([text('half'), finish('length')]).ask()).toMatchObject({ kind: 'reply', finish: 'length' })
    expect(await bench([text('all'), finish('stop')]).ask()).toMatchObject({ kind: 'reply', finish: 'complete' })
  })

  test('a stream that ends without a finish part is a transient failure', async () => {
    const outcome = await bench([text('half')]).ask()
    const message = "The provider's reply broke off before its end."
    expect(outcome).toMatchObject({ kind: 'failure', reasonCode: 'provider_unavailable', retry: 'call', message })
    expect(outcome).toMatchObject({ text: 'half', usage: { output: 1, estimated: true } })
  })

  test('a stream that breaks is a transient failure', async () => {
    const outcome = await bench([text('half'), new Error('other side closed')]).ask()
    expect(outcome).toMatchObject({ kind: 'failure', retry: 'call', text: 'half' })
    expect(outcome).toMatchObject({ message: expect.stringContaining('other side closed') })
  })

  test('calls with repeated or missing ids get unique ids', async () => {
    const outcome = await bench([call('same'), call('same'), call(''), call('same'), finish('tool-calls')]).ask()
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'same' }, { id: 'same_1' }, { id: 'call_2' }, { id: 'same_3' }] })
  })

  test('arguments that were encoded twice are read', async () => {
    const outcome = await bench([call('c', JSON.stringify('{"a":1}')), finish('tool-calls')]).ask()
    expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', input: { a: 1 } }] })
  })

  test.each([0, -1, 1e12])('usage of %d is impossible, and is estimated', async (tokens) => {
    const outcome = await bench([text('four'), finish('stop', tokens)]).ask()
    expect(outcome).toMatchObject({ kind: 'reply', usage: { output: 1, estimated: true } })
  })

  test('its echo is passed on', async () => {
    const providerMetadata = { google: { thoughtSignature: 's' } }
    const signed = { ...call('c'), providerMetadata } as ReplyPart
    const outcome = await bench([signed, finish('tool-calls')]).ask()
    expect(outcome).toMatchObject({
      kind: 'reply',
      echo: { parts: [{ kind: 'call', id: 'c', options: providerMetadata }] },
    })
  })
})

describe('a refusal', () => {
  const refused = { kind: 'failure', reasonCode: 'provider_refused', retry: 'never' }
  const metadata = (...refusals: (string | null)[]) => {
    const extractor = extractMetadata()
    for (const refusal of refusals) extractor.processChunk({ choices: [{ delta: { refusal } }] })
    return extractor.buildMetadata()
  }
  const finishing = (providerMetadata: unknown) => ({ ...finish(), providerMetadata }) as ReturnType<typeof finish>

  test('of the model is reported in its own words', async () => {
    const outcome = await bench([finishing(metadata('I can’t ', 'do that.'))]).ask()
    expect(outcome).toMatchObject({ ...refused, message: 'The model refused: I can’t do that.', usage: { total: 5 } })
  })

  test('of the content filter has no text', async () => {
    const outcome = await bench([text('half'), finish('content-filter')]).ask()
    const message = "The provider's content filter stopped the reply."
    expect(outcome).toMatchObject({ ...refused, message, text: 'half' })
  })

  test('that is empty does not count', async () => {
    const outcome = await bench([text('hi'), finishing(metadata(null))]).ask()
    expect(outcome).toMatchObject({ kind: 'reply', text: 'hi' })
  })
})

describe('an optional feature that a server refuses', () => {
  const refusal = (message: string, statusCode = 400) =>
    Object.assign(new Error('Bad Request'), { statusCode, responseBody: JSON.stringify({ error: { message } }) })
  const tools = [{ name: 'x', description: '', inputSchema: {} }]
  const outputSchema = { type: 'object' }
  const answered = [text('hi'), finish()]

  test('tools: the prompt says that there are none, and later calls do so at once', async () => {
    const { ask, calls, quirks } = bench(refusal('this model does not support tools'), answered, answered)
    expect(await ask({ tools })).toMatchObject({ kind: 'reply', text: 'hi' })
    expect(await ask({ tools })).toMatchObject({ kind: 'reply', text: 'hi' })
    expect(calls.map((made) => made.tools?.length)).toEqual([1, undefined, undefined])
    expect(calls.map(({ prompt }) => /You have no tools/.test(String(prompt[0]?.content)))).toEqual([false, true, true])
    expect(quirks).toEqual(['no_tools'])
  })

  test('a response format: the schema stays in the prompt', async () => {
    const { ask, calls, quirks } = bench(refusal('json_schema is not available', 422), answered)
    expect(await ask({ outputSchema })).toMatchObject({ kind: 'reply', text: 'hi' })
    expect(calls.map(({ responseFormat }) => responseFormat?.type)).toEqual(['json', undefined])
    expect(calls.map(({ prompt }) => /JSON Schema/.test(String(prompt[0]?.content)))).toEqual([true, true])
    expect(quirks).toEqual(['no_response_format'])
  })

  test('a parameter, then tools, then the format: all of them within one call', async () => {
    const refusals = ["Unsupported parameter: 'max_tokens'", 'tools are not supported', 'response_format?']
    const { ask, calls, quirks } = bench(...refusals.map((message) => refusal(message)), answered)
    expect(await ask({ tools, outputSchema })).toMatchObject({ kind: 'reply', text: 'hi' })
    expect(quirks).toEqual(['no_parameter:max_tokens', 'no_tools', 'no_response_format'])
    expect(calls).toHaveLength(4)
  })

  test('a format is remembered as refused only when the call without it was answered', async () => {
    const { ask, quirks } = bench(refusal('no'), refusal('still no'), answered)
    expect(await ask({ outputSchema })).toMatchObject({ kind: 'failure' })
    expect(quirks).toEqual([])
  })

  test('a parameter is found in escaped quotes and in the messages of Python servers', async () => {
    const python = Object.assign(new Error('Bad Request'), {
      statusCode: 422,
      responseBody: '{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
    })
    const { ask, quirks } = bench(refusal('Unsupported parameter: "max_tokens"'), python, answered)
    expect(await ask()).toMatchObject({ kind: 'reply' })
    expect(quirks).toEqual(['no_parameter:max_tokens', 'no_parameter:stream_options'])
  })

  test('the same refusal twice is permanent', async () => {
    const same = refusal("Unsupported parameter: 'seed'")
    const { ask, calls } = bench(same, same, answered)
    expect(await ask()).toMatchObject({ kind: 'failure', reasonCode: 'provider_error', retry: 'never' })
    expect(calls).toHaveLength(2)
  })

  test.each([
    ['a request without tools', {}, refusal('tools are not supported')],
    ['a context that is too long', { tools, outputSchema }, refusal('context_length_exceeded: tools not supported')],
    ['another status', { tools, outputSchema }, refusal('tools are not supported', 500)],
  ])('%s is not asked again', async (_, asked, error) => {
    const { ask, calls, quirks } = bench(error, answered)
    expect(await ask(asked)).toMatchObject({ kind: 'failure' })
    expect([calls.length, quirks]).toEqual([1, []])
  })
})
