import { expect, test } from 'vitest'
import type { LanguageModel, ProviderCall } from '../sdk/language-model.ts'
import { fitCall } from './fit-call.ts'

const fit = (provider: string, call: Partial<ProviderCall>, modelId = 'm') =>
  fitCall({ prompt: [], ...call } as ProviderCall, { provider, modelId } as LanguageModel)

const called = (providerOptions: object): ProviderCall['prompt'] => [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'x', input: {}, providerOptions } as never],
  },
]

test('options that the call has already win', () => {
  const { providerOptions } = fit('openai.responses', { providerOptions: { openai: { store: true, user: 'u' } } })
  expect(providerOptions).toMatchObject({ openai: { store: true, user: 'u', strictJsonSchema: false } })
})

test.each(['openaiCompatible', 'openai-compatible'])('a signature that came as %s goes back as google', (key) => {
  const { prompt } = fit('openai-compatible.chat', { prompt: called({ [key]: { thoughtSignature: 's' } }) })
  expect(prompt).toMatchObject([{ content: [{ providerOptions: { google: { thoughtSignature: 's' } } }] }])
})

test('a signature of Google itself does not go to another server', () => {
  const { prompt } = fit('openai-compatible.chat', { prompt: called({ google: { thoughtSignature: 's' } }) })
  expect(JSON.stringify(prompt)).not.toContain('thoughtSignature')
})

test('a turn that was only reasoning of another provider is not left empty', () => {
  const foreign = { type: 'reasoning' as const, text: 'hm', providerOptions: { openai: { itemId: 'rs_1' } } }
  const { prompt } = fit('anthropic.messages', { prompt: [{ role: 'assistant', content: [foreign] }] })
  expect(prompt).toEqual([{ role: 'assistant', content: [{ type: 'text', text: '(no text)' }] }])
})

const thinking = { type: 'enabled', budgetTokens: 1024 }
const asking: ProviderCall['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]
const thought = { type: 'reasoning' as const, text: 'hm', providerOptions: { anthropic: { signature: 's' } } }
const [plainCall] = called({})
const thoughtful = { role: 'assistant', content: [thought, ...(plainCall?.content ?? [])] } as typeof plainCall & object

test.each([
  ['began', [...asking, ...called({})], undefined],
  ['began before the last question', [...asking, ...called({}), ...asking], thinking],
  ['did not begin', [...asking, thoughtful], thinking],
])('Anthropic thinks with a budget unless another provider %s the turn', (_, prompt, expected) => {
  const { providerOptions } = fit('anthropic.messages', { prompt, providerOptions: { anthropic: { thinking } } })
  expect(providerOptions?.anthropic?.thinking).toEqual(expected)
})
