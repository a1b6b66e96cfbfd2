import { describe, expect, test } from 'vitest'
import { estimateMessages, estimatePrompt, estimateTokens } from './estimate-tokens.ts'
import { PromptFile } from './prompt-file.ts'

const file = (mediaType: string, bytes: number) =>
  new PromptFile({ ref: 'https://a.example/b', mediaType, data: new Uint8Array(bytes) })

const messagesWith = (...files: PromptFile[]) => [{ from: 'user' as const, text: 'Look.', files }]

describe('the estimate of a prompt', () => {
  test('is by its JSON without files', () => {
    const messages = [{ from: 'user' as const, text: 'Look.' }]
    expect(estimateMessages(messages)).toBe(estimateTokens(JSON.stringify(messages)))
    expect(estimatePrompt({ messages, tools: [] })).toBe(estimateTokens(JSON.stringify([messages, []])))
  })

  test.each([
    ['image/png', 100, 1_600],
    ['image/jpeg', 3_000_000, 1_600],
    ['application/pdf', 100, 2_000],
    ['application/pdf', 1_000_000, 20_000],
  ])('counts a file by its kind and not by its bytes: %s of %i', (mediaType, bytes, tokens) => {
    const [one, two] = [
      messagesWith(file(mediaType, bytes)),
      messagesWith(file(mediaType, bytes), file(mediaType, bytes)),
    ]
    const words = JSON.stringify(two).length - JSON.stringify(one).length
    const more = estimateMessages(two) - estimateMessages(one)
    expect(Math.abs(more - tokens - words / 4)).toBeLessThanOrEqual(1)
    expect(words).toBeLessThan(300)
    expect(estimatePrompt({ messages: one, tools: [] })).toBeGreaterThan(tokens)
  })
})
