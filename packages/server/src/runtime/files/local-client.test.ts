import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SettingsError } from '../settings/settings-error.ts'
import { localClientFile, readLocalClient, updateLocalUrl, writeLocalClient } from './local-client.ts'

const onWindows = process.platform === 'win32'
const client = { url: 'http://127.0.0.1:8080', apiKey: 'key_1:secret' }
let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'runwright-test-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a data folder without the file has no local client', () => {
  expect(readLocalClient(dataDir)).toBeUndefined()
  expect(updateLocalUrl(dataDir, client.url)).toBeUndefined()
  expect(readdirSync(dataDir)).toEqual([])
})

test('what is written is read, and only its owner can read it', () => {
  writeLocalClient(dataDir, client)
  expect(readLocalClient(dataDir)).toEqual(client)
  expect(readdirSync(dataDir)).toEqual(['client.json'])
  expect(JSON.parse(readFileSync(localClientFile(dataDir), 'utf8'))).toEqual({
    url: 'http://127.0.0.1:8080',
    api_key: 'key_1:secret',
  })
  if (!onWindows) expect(statSync(localClientFile(dataDir)).mode & 0o777).toBe(0o600)
})

test('a folder that does not exist is created, for its owner only', () => {
  const folder = join(dataDir, 'new')
  writeLocalClient(folder, client)
  expect(readLocalClient(folder)).toEqual(client)
  if (!onWindows) expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a new address replaces the url and keeps the key; the same address does not write', () => {
  writeLocalClient(dataDir, client)
  const moved = { ...client, url: 'http://127.0.0.1:9090' }
  expect(updateLocalUrl(dataDir, moved.url)).toEqual(moved)
  expect(readLocalClient(dataDir)).toEqual(moved)
  const { ino } = statSync(localClientFile(dataDir))
  expect(updateLocalUrl(dataDir, moved.url)).toEqual(moved)
  expect(statSync(localClientFile(dataDir)).ino).toBe(ino)
})

test.skipIf(onWindows).each([0o640, 0o604, 0o620])('a file with mode %o is refused, with what to do', (mode) => {
  writeLocalClient(dataDir, client)
  chmodSync(localClientFile(dataDir), mode)
  const file = localClientFile(dataDir)
  const refusal = `${file} contains an API key and other users can read it. Run: chmod 600 ${file}`
  expect(() => readLocalClient(dataDir)).toThrow(refusal)
  expect(() => updateLocalUrl(dataDir, 'http://127.0.0.1:9090')).toThrow(refusal)
})

test.skipIf(onWindows)('a link is not followed when read, and is replaced when written', () => {
  const target = join(dataDir, 'target')
  writeFileSync(target, JSON.stringify({ url: client.url, api_key: client.apiKey }), { mode: 0o600 })
  symlinkSync(target, localClientFile(dataDir))
  expect(() => readLocalClient(dataDir)).toThrow('cannot be read (ELOOP)')
  writeLocalClient(dataDir, { ...client, apiKey: 'key_2:other' })
  expect(readFileSync(target, 'utf8')).toContain('key_1:secret')
  expect(readLocalClient(dataDir)?.apiKey).toBe('key_2:other')
})

test.each(['', '{', 'null', '[]', '{"url":"http://127.0.0.1"}', '{"url":"?","api_key":"key_9:hidden"}'])(
  'a file with %j is refused without quoting it',
  (text) => {
    writeFileSync(localClientFile(dataDir), text, { mode: 0o600 })
    const refusal = `${localClientFile(dataDir)} must be JSON with "url" and "api_key". Correct it, or delete it.`
    expect(() => readLocalClient(dataDir)).toThrow(new SettingsError(refusal))
  },
)
