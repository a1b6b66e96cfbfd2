// What providers receive: parameters under their names, and not again what they refused.
import { afterEach, describe, expect, test } from 'vitest'
import { type WireFormat, wireFormats } from '../../src/models/config/wire-format.ts'
import type { ModelParameters, ModelRequest } from '../../src/models/port/model.ts'
import { ask, type OpenedModel, openOnMock } from '../support/provider-models.ts'
import { say } from '../support/providers/script.ts'

let opened: OpenedModel | undefined
afterEach(() => opened?.mock.close())

interface Tuned {
  readonly format: WireFormat
  readonly model?: string
  readonly parameters?: ModelParameters
  readonly options?: Record<string, never>
}

/** The parameters of the accepted request. */
async function sent({ format, model, parameters = {}, options = {} }: Tuned, asked: Partial<ModelRequest> = {}) {
  opened = await openOnMock({
    format,
    ...(model !== undefined && { model }),
    script: () => say('hi'),
    config: { defaults: { parameters, options } },
  })
  expect(await ask(opened.model, asked)).toMatchObject({ kind: 'reply', text: 'hi' })
  return opened.mock.requests[0]
}

const plain: Readonly<Record<WireFormat, string>> = {
  openai: 'gpt-4.1',
  'openai-chat': 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  'openai-compatible': 'llama3.3',
}

describe.each(wireFormats)('%s', (format) => {
  const model = plain[format]

  test('nothing is sent that was not asked for', async () => {
    const request = await sent({ format, model })
    const { maxOutputTokens, ...others } = request?.parameters ?? {}
    expect(Object.values(others).filter((value) => value !== undefined)).toEqual([])
    // Anthropic requires a limit, and a smaller one than the model's own would cut answers.
    expect(maxOutputTokens).toBe(format === 'anthropic' ? 64_000 : undefined)
  })

  test('temperature and the limit of the answer are sent, and those of the request win', async () => {
    const parameters = { temperature: 0.2, maxOutputTokens: 900 }
    const request = await sent({ format, model, parameters }, { parameters: { temperature: 0.7 } })
    expect(request?.parameters).toMatchObject({ temperature: 0.7, maxOutputTokens: 900 })
  })

  test.each([
    [{ left: 500, configured: 900 }, 500],
    [{ left: 5_000, configured: 900 }, 900],
  ])('the limit of the answer is no more than the run has left: %j', async ({ left, configured }, limit) => {
    const request = await sent(
      { format, model, parameters: { maxOutputTokens: configured } },
      { maxOutputTokens: left },
    )
    expect(request?.parameters.maxOutputTokens).toBe(limit)
  })

  test('stop and seed are sent where the API has them', async () => {
    const request = await sent({ format, model, parameters: { stop: ['END'], seed: 7 } })
    const { stop, seed } = request?.parameters ?? {}
    const expected: Readonly<Record<WireFormat, unknown>> = {
      openai: [undefined, undefined],
      'openai-chat': [['END'], 7],
      anthropic: [['END'], undefined],
      google: [['END'], 7],
      'openai-compatible': [['END'], 7],
    }
    expect([stop, seed]).toEqual(expected[format])
  })

  test('reasoning effort and service tier are sent', async () => {
    const tier = format === 'anthropic' ? 'standard_only' : 'priority'
    const request = await sent({ format, parameters: { reasoningEffort: 'low', serviceTier: tier } })
    expect(request?.parameters).toMatchObject({ reasoningEffort: 'low', serviceTier: tier })
  })

  test.each(['none', 'minimal', 'medium', 'high', 'xhigh'])('the provider accepts the effort %s', async (effort) => {
    await sent({ format, parameters: { reasoningEffort: effort } })
    expect(opened?.mock.refusals).toEqual([])
  })

  test('an effort that does not exist is not sent', async () => {
    const request = await sent({ format }, { parameters: { reasoningEffort: 'heroic' } })
    expect(request?.parameters.reasoningEffort).toBeUndefined()
  })
})

test.each([
  ['anthropic', 'claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
  ['anthropic', 'claude-opus-4-20250514', { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
  ['anthropic', 'claude-opus-4-6', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
  ['google', 'gemini-2.5-flash', { generationConfig: { thinkingConfig: { thinkingBudget: 8_192 } } }],
  ['google', 'gemini-3-pro', { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
] as const)('the effort of %s/%s becomes %j', async (format, model, body) => {
  const request = await sent({ format, model, parameters: { reasoningEffort: 'medium' } })
  expect(request?.body).toMatchObject(body)
})

test('a budget of reasoning comes on top of the limit of the answer', async () => {
  const parameters = { reasoningEffort: 'medium', maxOutputTokens: 1_000 }
  const request = await sent({ format: 'anthropic', model: 'claude-sonnet-4-5', parameters })
  expect(request?.body.max_tokens).toBe(1_000 + 8_192)
})

test.each([
  ['openai', 'gpt-5', 100_000],
  ['anthropic', 'claude-sonnet-4-5', 20_000],
  ['google', 'gemini-2.5-pro', 60_000],
] as const)('what the run has left is sent if %s/%s can write that much', async (format, model, left) => {
  const request = await sent({ format, model }, { maxOutputTokens: left })
  expect(request?.parameters.maxOutputTokens).toBe(left)
})

test.each([
  ['openai', 'gpt-5', 200_000],
  ['openai-compatible', 'llama3.3', 5_000],
] as const)('what the run has left is not sent if %s/%s may write less', async (format, model, left) => {
  const request = await sent({ format, model }, { maxOutputTokens: left })
  expect(request?.parameters.maxOutputTokens).toBeUndefined()
})

test.each([
  ['openai', { user: 'u' }, { user: 'u' }],
  ['openai-chat', { user: 'u' }, { user: 'u' }],
  ['anthropic', { metadata: { userId: 'u' } }, { metadata: { user_id: 'u' } }],
  [
    'google',
    { thinkingConfig: { includeThoughts: true } },
    { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  ],
  ['openai-compatible', { top_p: 0.5 }, { top_p: 0.5 }],
] as const)('options of %s are passed to its SDK', async (format, options, body) => {
  const request = await sent({ format, model: plain[format], options: options as never })
  expect(request?.body).toMatchObject(body)
})
