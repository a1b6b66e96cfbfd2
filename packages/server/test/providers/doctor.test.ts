// `runwright doctor` against the strict mocks: what an operator sees of models that work, and of those that do not.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { doctorCommand } from '../../src/cli/doctor/doctor.ts'
import { type WireFormat, wireFormats } from '../../src/models/config/wire-format.ts'
import { mocks, reasoningModels, testKey } from '../support/provider-models.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { callTools, fail, type NeutralRequest, type Reply, type Say, say } from '../support/providers/script.ts'
import type { ProviderOptions } from '../support/providers/wire-format.ts'

const variables: Readonly<Record<WireFormat, string>> = {
  openai: 'OPENAI',
  'openai-chat': 'OPENAI',
  anthropic: 'ANTHROPIC',
  google: 'GEMINI',
  'openai-compatible': 'OPENAI_COMPATIBLE',
}

const models = { ...reasoningModels, 'openai-compatible': 'llama3.3' }

const running: MockProvider[] = []
let out: string[]

beforeEach(() => {
  out = []
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(text))
  return async () => {
    vi.restoreAllMocks()
    process.exitCode = undefined
    await Promise.all(running.splice(0).map((mock) => mock.close()))
  }
})

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
afterEach(() => rmSync(join(folder, 'providers.json'), { force: true }))

async function start(format: WireFormat, answer: (request: NeutralRequest) => Reply, options: ProviderOptions = {}) {
  const mock = await startMockProvider(mocks[format], answer, { apiKey: testKey, ...options })
  running.push(mock)
  return {
    [`${variables[format]}_BASE_URL`]: mock.baseUrl,
    [`${variables[format]}_API_KEY`]: testKey,
    RUNWRIGHT_MODEL: `${format}/${models[format]}`,
  }
}

/** A model that can do everything. */
function able(request: NeutralRequest): Say {
  if (request.tools.length > 0) return callTools([{ name: 'add_numbers', args: { a: 2, b: 3 } }])
  if (request.outputSchema || request.system.includes('JSON Schema'))
    return say(['{"city": "Paris", ', '"country": "France"}'])
  return say(['1 2 3 ', '4 5 6'])
}

async function doctor(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<string> {
  out.length = 0
  const here = { RUNWRIGHT_PORT: '0', RUNWRIGHT_DATA_DIR: folder }
  await doctorCommand({ ...here, ...env }).parseAsync(argv, { from: 'user' })
  const shown = out.join('\n')
  expect(shown).not.toContain(testKey)
  return shown
}

async function report(env: NodeJS.ProcessEnv) {
  const shown = JSON.parse(await doctor(env, '--json'))
  return { ok: shown.ok, ...shown.models[0], exitCode: process.exitCode }
}

const works = { streaming: 'yes', tools: 'yes', structured_output: 'yes', usage: 'yes' }
const broken = { streaming: null, tools: null, structured_output: null, usage: null }

describe.each(wireFormats)('%s', (format) => {
  test('a model that can do everything', async () => {
    const env = await start(format, able)
    expect(await report(env)).toMatchObject({
      ok: true,
      exitCode: 0,
      model: env.RUNWRIGHT_MODEL,
      used_by: ['planner', 'worker', 'judge'],
      works: true,
      ...works,
      first_token_ms: expect.any(Number),
      duration_ms: expect.any(Number),
      problem: null,
      remarks: [],
    })
    expect(running[0]?.requests).toHaveLength(3)
    expect(running[0]?.refusals).toEqual([])
  })
})

describe('a model or a server with a fault:', () => {
  const format = 'openai-compatible'

  test('a wrong key', async () => {
    const env = await start(format, able, { apiKey: 'sk-another' })
    const advice = `Check the key in ${variables[format]}_API_KEY, and that its account may use the model.`
    const problem = { reason_code: 'provider_auth', advice }
    expect(await report(env)).toMatchObject({ ok: false, exitCode: 1, works: false, ...broken, problem })
    expect(running[0]?.refusals).toHaveLength(1)
  })

  test('an unknown model', async () => {
    const env = await start(format, able, { models: ['another'] })
    const advice = 'Check the name of the model and the base URL: the provider does not know them.'
    const problem = { reason_code: 'provider_error', advice }
    expect(await report(env)).toMatchObject({ ok: false, exitCode: 1, works: false, ...broken, problem })
  })

  test('a silent server', async () => {
    const env = await start(format, () => say('hi', { delivery: { hang: true } }))
    const message = 'The provider sent nothing for 0.3 s.'
    const problem = { reason_code: 'provider_unavailable', message }
    const shown = await report({ ...env, RUNWRIGHT_PROVIDER_SILENCE_SECONDS: '0.3' })
    expect(shown).toMatchObject({ ok: false, exitCode: 1, works: false, ...broken, problem })
  })

  test('no usage', async () => {
    const env = await start(format, (request) => ({ ...able(request), usage: 'none' }))
    expect(await report(env)).toMatchObject({ ok: true, exitCode: 0, works: true, ...works, usage: 'no' })
  })

  test('refused tools', async () => {
    const refuses = ({ tools }: NeutralRequest) => tools.length > 0
    const words = 'This model does not support tools.'
    const env = await start(format, (request) =>
      refuses(request) ? fail('bad_request', { message: words }) : able(request),
    )
    const remarks = ['The server refuses tools. They are not offered, and the model is told so.']
    expect(await report(env)).toMatchObject({ ok: true, works: true, ...works, tools: 'no', remarks })
  })

  test('text in one piece, and an answer that does not match its schema', async () => {
    const env = await start(format, (request) => (request.tools.length > 0 ? able(request) : say(['1 2 3'])))
    expect(await report(env)).toMatchObject({ works: true, ...works, streaming: 'no', structured_output: 'no' })
  })
})

test('a server that is not there', async () => {
  const env = { RUNWRIGHT_MODEL: 'openai-compatible/m', OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' }
  const advice = 'Check that the base URL is right, and that the server runs and can be reached from this host.'
  expect(await report(env)).toMatchObject({ ok: false, exitCode: 1, works: false, problem: { advice } })
})

test('the sandbox makes no calls', async () => {
  expect(await report({})).toMatchObject({ ok: true, exitCode: 0, model: 'sandbox', works: true, ...broken })
})

test('a parameter that the server refuses', async () => {
  const env = await start('openai-compatible', able)
  const { works: isUp, remarks } = await report({ ...env, RUNWRIGHT_MODEL: 'openai-compatible/gpt-5' })
  expect(isUp).toBe(true)
  expect(remarks).toEqual(['The server refuses the parameter max_tokens. max_completion_tokens is sent instead.'])
})

test('a failure of one feature is told in the words of the provider', async () => {
  const env = await start('openai-compatible', (request) =>
    request.tools.length > 0 ? fail('server_error', { message: 'no GPU left' }) : able(request),
  )
  const { tools, remarks, works: isUp } = await report(env)
  expect([isUp, tools]).toEqual([true, 'no'])
  expect(remarks).toEqual([expect.stringMatching(/^The call with tools failed: .*no GPU left/)])
})

describe('the models of roles, of runs and of the file', () => {
  async function everything() {
    const mock = await startMockProvider('openai-chat', able)
    running.push(mock)
    const gone = { format: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' }
    const providers = {
      local: { format: 'openai-compatible', base_url: mock.baseUrl, key_env: 'LOCAL_KEY', models: { a: {}, b: {} } },
      gone: { ...gone, models: { c: { fallbacks: ['local/b'] } } },
      keyless: { ...gone, key_env: 'NOT_SET', models: { d: {} } },
    }
    const file = join(folder, 'providers.json')
    writeFileSync(file, JSON.stringify({ providers }))
    return {
      LOCAL_KEY: testKey,
      RUNWRIGHT_PROVIDERS: file,
      RUNWRIGHT_MODEL: 'local/a',
      RUNWRIGHT_MODEL_JUDGE: 'local/a, local/b',
      RUNWRIGHT_MODELS_ALLOWED: 'gone/c',
    }
  }

  test('are all checked, and only those of roles decide the exit code', async () => {
    const env = await everything()
    const { ok, models: checked } = JSON.parse(await doctor(env, '--json'))
    const rows = checked.map((row: { model: string; works: boolean; used_by: string[] }) => [
      row.model,
      row.works,
      row.used_by.join(', '),
    ])
    expect(rows).toEqual([
      ['local/a', true, 'planner, worker, judge, providers file'],
      ['local/b', true, 'judge, allowed, providers file'],
      ['gone/c', false, 'allowed, providers file'],
      ['keyless/d', false, 'providers file'],
    ])
    expect([ok, process.exitCode]).toEqual([true, 0])
    expect(checked[3].problem.message).toMatch(/providers\.keyless\.key_env names the environment variable NOT_SET/)
    await doctor({ ...env, RUNWRIGHT_MODEL_PLANNER: 'gone/c' })
    expect(process.exitCode).toBe(1)
  })

  test('are shown as a table, with what to do below it', async () => {
    const [, table = ''] = (await doctor(await everything())).split(/\n\n(?=MODEL)/)
    const shown = table.split('\n')
    expect(shown[0]).toMatch(/^MODEL +USED BY +WORKS +STREAMING +TOOLS +STRUCTURED +USAGE +FIRST TOKEN$/)
    expect(shown[1]).toMatch(/^local\/a +planner, worker, judge, providers file +yes +yes +yes +yes +yes +\d+ ms$/)
    expect(shown[3]).toMatch(/^gone\/c +allowed, providers file +NO +- +- +- +- +-$/)
    expect(shown.slice(5, 9)).toEqual([
      '',
      'gone/c:',
      expect.stringMatching(/^ {2}The connection to the provider failed: /),
      '  Check that the base URL is right, and that the server runs and can be reached from this host.',
    ])
  })
})

test('a bad file is told in one sentence', async () => {
  const file = join(folder, 'providers.json')
  writeFileSync(file, '{"providers": {"x": {}}}')
  expect(await doctor({ RUNWRIGHT_PROVIDERS: file })).toMatch(
    /^PROBLEM {2}Settings +RUNWRIGHT_PROVIDERS: in .*providers.json, providers.x.format is required.$/m,
  )
  expect(process.exitCode).toBe(1)
})
