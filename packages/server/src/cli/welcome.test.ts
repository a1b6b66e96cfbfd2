import { expect, test } from 'vitest'
import { readSettings } from '../runtime/settings/settings.ts'
import { welcome } from './welcome.ts'

const modelLine = (env: Record<string, string>) => {
  const settings = readSettings(env)
  const text = welcome({ address: undefined, settings, firstKey: undefined, embedded: true, executes: true })
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
