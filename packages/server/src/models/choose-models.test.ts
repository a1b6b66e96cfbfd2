import { expect, test } from 'vitest'
import { SettingsError } from '../runtime/settings/settings-error.ts'
import { chooseModels as choose, modelBook } from './choose-models.ts'
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
      'RUNWRIGHT_MODEL and RUNWRIGHT_MODEL_* take sandbox or <provider>/<model>; the providers are openai, openai-chat, anthropic, google, openai-compatible.'
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
