import { expect, test } from 'vitest'
import { contextWindowOf } from './context-windows.ts'

test.each([
  ['gpt-4.1-mini', 1_047_576],
  ['gpt-4o-2024-08-06', 128_000],
  ['gpt-4', 8_192],
  ['openai/gpt-5-nano', 400_000],
  ['o3-mini', 200_000],
  ['anthropic/claude-sonnet-4', 200_000],
  ['gemini-2.5-flash', 1_048_576],
  ['meta-llama/Llama-3.1-8B-Instruct', 131_072],
  ['llama3:8b', 8_192],
  ['qwen2.5:14b', 131_072],
  ['my-own-model', undefined],
])('%s: %s', (model, window) => {
  expect(contextWindowOf(model)).toBe(window)
})
