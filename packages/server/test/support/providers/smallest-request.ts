// For each wire format, the smallest request that its provider accepts: one word from the user.
import type { Post } from './client.ts'
import type { ProviderFormat } from './mock-provider.ts'

const requests: Record<ProviderFormat, (stream: boolean) => Post> = {
  'openai-chat': (stream) => ({
    path: '/chat/completions',
    headers: { authorization: 'Bearer sk-test' },
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], stream },
  }),
  anthropic: (stream) => ({
    path: '/messages',
    headers: { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], stream },
  }),
  'openai-responses': (stream) => ({
    path: '/responses',
    headers: { authorization: 'Bearer sk-test' },
    body: { model: 'gpt-5', input: 'hello', stream },
  }),
  gemini: (stream) => ({
    path: `/models/gemini-3-pro:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'x-goog-api-key': 'test' },
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  }),
}

export const smallestRequest = (format: ProviderFormat, stream: boolean): Post => requests[format](stream)
