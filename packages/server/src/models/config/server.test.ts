import { expect, test } from 'vitest'
import { readProviderServer } from './server.ts'
import type { WireFormat } from './wire-format.ts'

const keys = { ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o' }
const urlOf = (format: WireFormat, env: Record<string, string> = {}) =>
  readProviderServer({ ...keys, ...env }, { name: format, format, headers: {} }).baseUrl

test.each<[WireFormat, string]>([
  ['openai', 'https://api.openai.com/v1'],
  ['openai-chat', 'https://api.openai.com/v1'],
  ['anthropic', 'https://api.anthropic.com/v1'],
  ['google', 'https://generativelanguage.googleapis.com/v1beta'],
])('%s answers at %s', (format, url) => {
  expect(urlOf(format)).toBe(url)
})

test.each<[WireFormat, string, string, string]>([
  ['anthropic', 'ANTHROPIC_BASE_URL', 'http://127.0.0.1:9', 'http://127.0.0.1:9/v1'],
  ['anthropic', 'ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1'],
  ['anthropic', 'ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/team/a', 'http://127.0.0.1:9/team/a'],
  ['google', 'GEMINI_BASE_URL', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/v1beta'],
  ['openai', 'OPENAI_BASE_URL', 'http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1'],
])('%s with %s=%s: %s', (format, variable, given, url) => {
  expect(urlOf(format, { [variable]: given })).toBe(url)
})
