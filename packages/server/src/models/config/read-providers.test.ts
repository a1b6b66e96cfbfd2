import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { modelBook } from '../choose-models.ts'
import { modelConfigOf, type ProviderConfig } from './provider-config.ts'
import { readProviders } from './read-providers.ts'
import { readProviderServer } from './server.ts'

const folder = mkdtempSync(join(tmpdir(), 'providers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'providers.json')

const readText = (text: string) => {
  writeFileSync(file, text)
  return readProviders(file)
}
const read = (providers: object) => readText(JSON.stringify({ providers }))
const readOne = (name: string, provider: object): ProviderConfig => {
  const found = read({ [name]: provider }).get(name)
  if (!found) throw new Error(`${name} is missing`)
  return found
}
const local = { format: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1' }

function refusalOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError)
    return (error as SettingsError).message
  }
  throw new Error('it was accepted')
}

describe('providers', () => {
  test('are the built-in ones without a file', () => {
    const builtIn = ['openai', 'openai-chat', 'anthropic', 'google', 'openai-compatible']
    expect([...readProviders(undefined).keys()]).toEqual(builtIn)
    expect([...read({ ollama: local, openai: {} }).keys()]).toEqual([...builtIn, 'ollama'])
  })

  test('of the file have the server, key and headers that it names', () => {
    const provider = readOne('gateway', {
      format: 'anthropic',
      base_url: 'https://gateway.example/v1',
      key_env: 'GATEWAY_KEY',
      key_header: 'X-Gateway-Key',
      headers: { 'x-team': 'search', 'x-session-token': { env: 'SESSION' } },
    })
    expect(readProviderServer({ GATEWAY_KEY: 'k', SESSION: 'Basic s', ANTHROPIC_API_KEY: 'other' }, provider)).toEqual({
      baseUrl: 'https://gateway.example/v1',
      apiKey: 'k',
      keyHeader: 'x-gateway-key',
      headers: { 'x-team': 'search', 'x-session-token': 'Basic s' },
      secrets: ['Basic s'],
    })
  })

  test('that are built in keep their variables where the file is silent', () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    expect(readProviderServer(env, readOne('openai', { parameters: { seed: 1 } }))).toEqual({
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'k',
    })
    const elsewhere = readOne('openai', { base_url: 'http://127.0.0.1:8/v1', key_env: 'MINE' })
    expect(readProviderServer({ ...env, MINE: 'm' }, elsewhere)).toEqual({
      baseUrl: 'http://127.0.0.1:8/v1',
      apiKey: 'm',
    })
  })

  test('that are not built in never get the key or the URL of a built-in one', () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_COMPATIBLE_API_KEY: 'c' }
    expect(readProviderServer(env, readOne('other', { format: 'openai' }))).toEqual({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: undefined,
    })
    expect(readProviderServer(env, readOne('ollama', local)).apiKey).toBeUndefined()
  })
})

test('the example file is valid, and every model of it opens', async () => {
  const example = join(import.meta.dirname, '../../../../../examples/providers/providers.json')
  const providers = readProviders(example)
  const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GATEWAY_KEY', 'GATEWAY_TOKEN']
  const book = modelBook(Object.fromEntries(keys.map((key) => [key, 'k'])), { providers })
  const names = [...providers.values()].flatMap(({ name, models }) =>
    Object.keys(models).map((model) => `${name}/${model}`),
  )
  const opened = await Promise.all([...names, 'gateway/claude-sonnet-4-5'].map((name) => book.open(name)))
  expect(opened.map((list) => list.map(({ name }) => name))).toEqual([
    ['anthropic/claude-sonnet-4-5', 'openai/gpt-5'],
    ['ollama/qwen3:8b'],
    ['ollama/llava:13b'],
    ['openrouter/deepseek/deepseek-chat'],
    ['gateway/claude-sonnet-4-5'],
  ])
})

describe('a model', () => {
  test('has the defaults of its provider, unless it sets them itself', () => {
    const provider = readOne('ollama', {
      ...local,
      context_tokens: 8_000,
      parameters: { temperature: 0.2, seed: 7 },
      options: { think: true, keep: 1 },
      accepts_files: ['image/png'],
      fallbacks: ['openai/gpt-5'],
      models: {
        'llama3.3': {
          context_tokens: 64_000,
          parameters: {
            temperature: 0,
            max_output_tokens: 900,
            stop: ['END'],
            reasoning_effort: 'low',
            service_tier: 'x',
          },
          options: { think: false },
          fallbacks: [],
        },
      },
    })
    expect(modelConfigOf(provider, 'llama3.3')).toEqual({
      contextTokens: 64_000,
      parameters: {
        temperature: 0,
        seed: 7,
        maxOutputTokens: 900,
        stop: ['END'],
        reasoningEffort: 'low',
        serviceTier: 'x',
      },
      options: { think: false, keep: 1 },
      acceptsFiles: ['image/png'],
      fallbacks: [],
    })
    expect(modelConfigOf(provider, 'constructor')).toMatchObject({
      contextTokens: 8_000,
      parameters: { temperature: 0.2, seed: 7 },
      fallbacks: ['openai/gpt-5'],
    })
  })
})

describe('a bad file stops the start with one sentence', () => {
  const model = (fields: object) => ({ ollama: { ...local, models: { 'a:8b': fields } } })
  test.each([
    [{ ollama: { ...local, base_ulr: 'x' } }, 'providers.ollama.base_ulr is not a known field: did you mean base_url?'],
    [
      model({ temprature: 1 }),
      'providers.ollama.models["a:8b"].temprature is not a known field: did you mean temperature?',
    ],
    [
      model({ parameters: { temperature: 'hunter2' } }),
      'providers.ollama.models["a:8b"].parameters.temperature must be a number.',
    ],
    [
      model({ parameters: { reasoning_effort: 'hunter2' } }),
      'must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max".',
    ],
    [model({ context_tokens: 10 }), 'context_tokens must be at least 1000.'],
    [
      model({ fallbacks: ['hunter2'] }),
      'providers.ollama.models["a:8b"].fallbacks[0] must be <provider>/<model> of a provider that exists: openai, openai-chat, anthropic, google, openai-compatible, ollama.',
    ],
    [{ ollama: { ...local, fallbacks: ['openai/a', 'hunter2/b'] } }, 'providers.ollama.fallbacks[1] must be'],
    [{ ollama: { format: 'hunter2' } }, 'providers.ollama.format must be one of "openai"'],
    [{ ollama: {} }, 'providers.ollama.format is required.'],
    [{ ollama: { format: 'openai-compatible' } }, 'providers.ollama.base_url is required.'],
    [{ Ollama: local }, 'the provider name "Ollama" must match'],
    [{ sandbox: local }, 'the provider name "sandbox" must match'],
    [{ ollama: { ...local, base_url: 'hunter2' } }, 'providers.ollama.base_url must be an http or https URL'],
    [
      { ollama: { ...local, base_url: 'http://u:hunter2@h/' } },
      'must have no user, password, query or fragment: a key goes into key_env.',
    ],
    [{ ollama: { ...local, key_env: 'sk-hunter2' } }, 'providers.ollama.key_env must match'],
    [
      { ollama: { ...local, headers: { 'X-Api-Key': 'hunter2' } } },
      'providers.ollama.headers.X-Api-Key must be {"env": "NAME"}, because keys come only from environment variables.',
    ],
    [
      { ollama: { ...local, headers: { authorization: 'Bearer hunter2' } } },
      'because keys come only from environment variables.',
    ],
    [
      { ollama: { ...local, headers: { 'x-auth-token': 'hunter2' } } },
      'because keys come only from environment variables.',
    ],
    [
      { ollama: { ...local, headers: { 'x-team': 'hünter2' } } },
      'providers.ollama.headers.x-team must be printable ASCII',
    ],
    [
      { ollama: { ...local, headers: { 'hunter2 x': 'a' } } },
      'providers.ollama.headers has a name that is not a valid HTTP header.',
    ],
  ])('%j', (providers, problem) => {
    const message = refusalOf(() => read(providers))
    expect(message).toContain(problem)
    expect(message).toMatch(new RegExp(`^RUNWRIGHT_PROVIDERS: in ${file}, `))
    expect(message).not.toContain('hunter2')
  })

  test.each([
    ['{', 'is not valid JSON'],
    ['{}', 'providers is required'],
    ['[]', 'must be an object'],
  ])('%s', (text, problem) => {
    expect(refusalOf(() => readText(text))).toContain(problem)
  })
})

describe('a variable that is not set', () => {
  test.each([
    [{ key_env: 'MY_KEY' }, 'key_env names the environment variable MY_KEY, which is not set.'],
    [{ headers: { 'x-a': { env: 'MY_KEY' } } }, 'headers.x-a names the environment variable MY_KEY, which is not set.'],
  ])('is told with the file, once the provider is used: %j', (fields, problem) => {
    const provider = readOne('ollama', { ...local, ...fields })
    const message = refusalOf(() => readProviderServer({ MY_KEY: '' }, provider))
    expect(message).toBe(`RUNWRIGHT_PROVIDERS: in ${file}, providers.ollama.${problem}`)
  })

  test.each(['hunter2\n', 'hünter2'])('or is not a header value, %j, is refused without being repeated', (value) => {
    const provider = readOne('ollama', { ...local, headers: { 'x-a': { env: 'MY_HEADER' } } })
    expect(refusalOf(() => readProviderServer({ MY_HEADER: value }, provider))).toBe(
      'MY_HEADER must be printable ASCII.',
    )
  })
})
