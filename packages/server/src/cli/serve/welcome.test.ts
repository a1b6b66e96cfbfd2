import { expect, test } from 'vitest'
import { readSettings } from '../../runtime/settings/settings.ts'
import { welcome } from './welcome.ts'

const nothing = {
  address: undefined,
  settings: readSettings({ RUNWRIGHT_DATA_DIR: '/data' }),
  firstKey: undefined,
  keyFile: undefined,
  signInLink: undefined,
  embedded: true,
  executes: true,
}

const modelLine = (env: Record<string, string>) => {
  const settings = readSettings(env)
  const text = welcome({ ...nothing, settings })
  return /^ {2}Model {4}(.*)$/m.exec(text)?.[1]
}

test.each<[Record<string, string>, string]>([
  [{}, 'sandbox (scripted, for testing; set RUNWRIGHT_MODEL to use a real model)'],
  [{ RUNWRIGHT_MODEL: 'openai/a', RUNWRIGHT_MODELS_ALLOWED: 'openai/b' }, 'openai/a'],
  [
    { RUNWRIGHT_MODEL: 'openai/a', RUNWRIGHT_MODEL_JUDGE: 'openai/b' },
    'planner: openai/a, worker: openai/a, judge: openai/b',
  ],
  [{ RUNWRIGHT_REPLAY: '/cassettes' }, 'none is called: runs are replayed from /cassettes'],
])('%j: the models are told as %j', (env, line) => {
  expect(modelLine(env)).toBe(line)
})

const url = 'http://127.0.0.1:8080'

test('a first start says how to sign in, what to try, and the key', () => {
  const signInLink = `${url}/console/#/sign-in?code=abc`
  const keyFile = '/data/client.json'
  expect(welcome({ ...nothing, address: url, firstKey: 'key_1:secret', keyFile, signInLink })).toBe(`
Runwright is ready.
  API      http://127.0.0.1:8080
  Console  http://127.0.0.1:8080/console
  Docs     http://127.0.0.1:8080/docs
  Model    sandbox (scripted, for testing; set RUNWRIGHT_MODEL to use a real model)
  Data     /data (embedded PostgreSQL)
  API key  /data/client.json (only you can read it)

Sign in to the console (once, within 5 minutes, on this machine):
  http://127.0.0.1:8080/console/#/sign-in?code=abc

Try it:  npm run -s runwright -- run --example approval

Your API key (shown only once):
  key_1:secret

Create a run with it:
  curl -s http://127.0.0.1:8080/v1/runs -H 'Authorization: Bearer key_1:secret' -H 'Content-Type: application/json' \\
    -H 'idempotency-key: say-hello' -d '{"input":{"goal":"Say hello"},"metadata":{}}'

Press Ctrl-C to stop.`)
})

test('without a local key, nothing that needs it is printed', () => {
  expect(welcome({ ...nothing, address: url })).not.toMatch(/key|Sign in|Try it/)
})

test('a process that executes no runs does not offer to try one', () => {
  const text = welcome({ ...nothing, address: url, keyFile: '/data/client.json', executes: false })
  expect(text).toContain('  API key  /data/client.json')
  expect(text).not.toContain('Try it')
})
