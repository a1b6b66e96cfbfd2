import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localClientFile, writeLocalClient } from '../../runtime/files/local-client.ts'
import { commandLine } from '../output/command-line.ts'
import { findTarget } from './target.ts'

const folder = mkdtempSync(join(tmpdir(), 'target-'))
const here = { RUNWRIGHT_DATA_DIR: folder }
const empty = { RUNWRIGHT_DATA_DIR: join(folder, 'none') }
const secret = 'hunter2-hunter2'

beforeAll(() => writeLocalClient(folder, { url: 'http://127.0.0.1:8123', apiKey: `key_local:${secret}` }))
afterAll(() => rmSync(folder, { recursive: true }))

const target = (env: Record<string, string>, url?: string) => {
  const { url: found, apiKey } = findTarget(env, url)
  return [found, apiKey]
}

describe('the service of a command', () => {
  test('is that of the data folder', () => {
    expect(target(here)).toEqual(['http://127.0.0.1:8123', `key_local:${secret}`])
  })

  test('is that of the environment, if it has a key', () => {
    const env = { ...here, RUNWRIGHT_URL: 'https://runs.example.com/', RUNWRIGHT_API_KEY: 'key_1:s' }
    expect(target(env)).toEqual(['https://runs.example.com', 'key_1:s'])
    expect(target(env, 'http://localhost:1')).toEqual(['http://localhost:1', 'key_1:s'])
  })

  test('does not get the key of the data folder if it is another service', () => {
    expect(() => target(here, 'https://evil.example.com')).toThrow(
      /^No API key for https:\/\/evil\.example\.com: set RUNWRIGHT_API_KEY\./,
    )
    expect(target(here, 'http://127.0.0.1:8123/')).toEqual(['http://127.0.0.1:8123', `key_local:${secret}`])
  })

  test('is missing: one sentence says what to set', () => {
    expect(() => target(empty)).toThrow(
      `No API key: set RUNWRIGHT_API_KEY and RUNWRIGHT_URL, or start a service here with ${commandLine('start')}.`,
    )
  })
})

describe('a refusal never shows the secret', () => {
  test.each([
    ['a misspelt variable', { ...here, RUNWRIGHT_KEY: secret }, 'did you mean RUNWRIGHT_API_KEY?'],
    ['a key without an id', { ...here, RUNWRIGHT_API_KEY: secret }, 'must be an API key'],
    ['a password in the address', { ...here, RUNWRIGHT_URL: `http://a:${secret}@h` }, 'must not contain a password'],
  ])('%s', (_what, env, words) => {
    const message = messageOf(() => findTarget(env))
    expect(message).toContain(words)
    expect(message).not.toContain(secret)
  })

  test('a file that others can read', () => {
    chmodSync(localClientFile(folder), 0o644)
    const message = messageOf(() => findTarget(here))
    chmodSync(localClientFile(folder), 0o600)
    expect(message).toContain('chmod 600')
    expect(message).not.toContain(secret)
  })
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return 'no complaint'
  } catch (error) {
    return (error as Error).message
  }
}
