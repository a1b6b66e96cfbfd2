import { expect, test } from 'vitest'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import { chooseModels as choose, modelBook } from './choose-models.ts'
import type { ProviderConfig } from './config/provider-config.ts'
import { readProviders } from './config/read-providers.ts'
import { sandbox } from './sandbox/sandbox.ts'

const env = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' }
const chooseModels = (names: Parameters<typeof choose>[0], environment: Record<string, string>) =>
  choose(names, modelBook(environment))
const all = (name: string) => ({ planner: name, worker: name, judge: name })

async function refusalOf(name: string, environment: Record<string, string>): Promise<string> {
  const error = await chooseModels(all(name), environment).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SettingsError)
  return (error as SettingsError).message
}

test('the sandbox needs no settings', async () => {
  expect(await chooseModels(all('sandbox'), {})).toEqual({ planner: [sandbox], worker: [sandbox], judge: [sandbox] })
})

test('each role has its own model, and roles with one name share one', async () => {
  const judge = 'openai-compatible/meta/llama-4:8b'
  const models = await chooseModels({ planner: 'openai-compatible/m', worker: 'openai-compatible/m', judge }, env)
  expect(models.planner[0]).toBe(models.worker[0])
  expect(models.judge[0]).not.toBe(models.worker[0])
  expect([models.planner[0]?.name, models.judge[0]?.name]).toEqual(['openai-compatible/m', judge])
})

test('a role may have several models, in the order in which they are named', async () => {
  const models = await chooseModels(all('openai-compatible/a, openai-compatible/b,sandbox'), env)
  expect(models.worker.map(({ name }) => name)).toEqual(['openai-compatible/a', 'openai-compatible/b', 'sandbox'])
})

test.each(['nobody/gpt-5', 'sandbox/x', 'openai-compatible', 'openai-compatible/', ''])(
  '%j is refused with the supported names',
  async (name) => {
    const known =
      'A model is sandbox or <provider>/<model>; the providers are openai, openai-chat, anthropic, google, openai-compatible.'
    expect(await refusalOf(name, env)).toBe(`Unknown model ${JSON.stringify(name)}. ${known}`)
  },
)

test.each([
  [undefined, /needs OPENAI_COMPATIBLE_BASE_URL, such as/],
  ['', /needs OPENAI_COMPATIBLE_BASE_URL, such as/],
  ['hunter2', /must be an http or https URL/],
  ['ftp://hunter2', /must be an http or https URL/],
  ['http://user:hunter2@host/v1', /must have no user, password, query or fragment/],
  ['http://host/v1?key=hunter2', /must have no user, password, query or fragment/],
  ['http://host/v1#hunter2', /must have no user, password, query or fragment/],
])('a base URL of %j is refused without being repeated', async (url, sentence) => {
  const message = await refusalOf('openai-compatible/m', url === undefined ? {} : { OPENAI_COMPATIBLE_BASE_URL: url })
  expect(message).toMatch(sentence)
  expect(message).not.toContain('hunter2')
})

test.each(['hunter2\n', 'hunter2 x', 'hünter2'])('a key of %j is refused without being repeated', async (key) => {
  const message = await refusalOf('openai-compatible/m', { ...env, OPENAI_COMPATIBLE_API_KEY: key })
  expect(message).toBe('OPENAI_COMPATIBLE_API_KEY must be printable ASCII without spaces.')
})

test('an empty key counts as absent', async () => {
  await expect(
    chooseModels(all('openai-compatible/m'), { ...env, OPENAI_COMPATIBLE_API_KEY: '' }),
  ).resolves.toBeDefined()
})

const providers = new Map([
  ...readProviders(undefined),
  [
    'ollama',
    {
      name: 'ollama',
      format: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9/v1',
      headers: {},
      defaults: {},
      models: {
        a: { contextTokens: 5_000, acceptsFiles: ['image/png'], fallbacks: ['ollama/b', 'sandbox'] },
        b: { fallbacks: ['ollama/a', 'ollama/c'] },
        lost: { fallbacks: ['anthropic/claude-x'] },
      },
    } satisfies ProviderConfig,
  ],
])

test('models of a configured provider have its window and file types', async () => {
  const [a, other] = await modelBook({}, { providers }).open('ollama/a, ollama/other')
  expect([a?.name, a?.contextTokens, a?.acceptsFiles]).toEqual(['ollama/a', 5_000, ['image/png']])
  expect([other?.name, other?.contextTokens, other?.acceptsFiles]).toEqual(['ollama/other', undefined, []])
})

test('fallbacks follow the list, each model once, and the fallbacks of fallbacks do not count', async () => {
  const names = async (list: string) => (await modelBook({}, { providers }).open(list)).map(({ name }) => name)
  expect(await names('ollama/a')).toEqual(['ollama/a', 'ollama/b', 'sandbox'])
  expect(await names('ollama/a, ollama/d')).toEqual(['ollama/a', 'ollama/d', 'ollama/b', 'sandbox'])
  expect(await names('ollama/b')).toEqual(['ollama/b', 'ollama/a', 'ollama/c'])
})

test('a fallback whose provider has no key stops the start', async () => {
  await expect(modelBook({}, { providers }).open('ollama/lost')).rejects.toThrow(
    'A model of anthropic needs ANTHROPIC_API_KEY.',
  )
})

test('the models that a run may choose are opened with those of the roles', async () => {
  const book = modelBook(env, { providers })
  await choose({ ...all('sandbox'), allowed: ['ollama/a', 'openai-compatible/m'] }, book)
  expect(book.find('ollama/a')?.map(({ name }) => name)).toEqual(['ollama/a', 'ollama/b', 'sandbox'])
  expect(book.find('openai-compatible/m')?.map(({ name }) => name)).toEqual(['openai-compatible/m'])
  expect(book.find('ollama/d')).toBeUndefined()
  await expect(choose({ ...all('sandbox'), allowed: ['nobody/x'] }, book)).rejects.toThrow('Unknown model "nobody/x".')
})

test.each([
  ['openai', { serviceTier: 'hunter2' }, {}, 'serviceTier'],
  ['openai-chat', {}, { reasoningEffort: 'hunter2' }, 'reasoningEffort'],
  ['anthropic', {}, { thinking: { type: 'hunter2' } }, 'thinking'],
  ['google', {}, { thinkingConfig: { thinkingBudget: 'hunter2' } }, 'thinkingConfig'],
  ['openai-compatible', {}, { reasoningEffort: { a: 'hunter2' } }, 'reasoningEffort'],
] as const)(
  'an option that the SDK of %s does not accept stops the start',
  async (format, parameters, options, name) => {
    const provider: ProviderConfig = {
      name: 'here',
      format,
      baseUrl: 'http://127.0.0.1:9/v1',
      headers: {},
      defaults: { parameters, options },
      models: {},
      at: 'providers.here',
    }
    await expect(modelBook({}, { providers: new Map([['here', provider]]) }).open('here/m')).rejects.toThrow(
      `providers.here: the format ${format} does not accept the value of the option ${name} of m.`,
    )
    const good = { ...provider, defaults: { options: { user: 'u' } } }
    await modelBook({}, { providers: new Map([['here', good]]) }).open('here/m')
  },
)
