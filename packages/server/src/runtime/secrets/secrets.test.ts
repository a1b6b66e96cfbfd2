import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
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
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SettingsError } from '../settings/settings-error.ts'
import { fingerprint, loadSecrets } from './secrets.ts'

const given = Buffer.alloc(32, 9)
let folder: string
let dataDir: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  dataDir = join(folder, 'not', 'there', 'yet')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('secrets that are not set', () => {
  test('are created at first use and found again afterwards', () => {
    const first = loadSecrets({ dataDir })
    const second = loadSecrets({ dataDir })
    expect(first.origin).toEqual({ encryptionKey: 'created', keyPepper: 'created' })
    expect(second).toEqual({ ...first, origin: { encryptionKey: 'file', keyPepper: 'file' } })
    expect([first.encryptionKey.length, first.keyPepper.length]).toEqual([32, 32])
    expect(first.encryptionKey.equals(first.keyPepper)).toBe(false)
  })

  test('are in files that only the owner can read, and nothing else is left', () => {
    loadSecrets({ dataDir })
    expect(readdirSync(dataDir).sort()).toEqual(['encryption-key', 'key-pepper'])
    for (const name of readdirSync(dataDir)) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  })

  test('can be moved to another host as settings', () => {
    const made = loadSecrets({ dataDir })
    const encryptionKey = readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim()
    expect(loadSecrets({ dataDir: join(folder, 'other'), encryptionKey }).encryptionKey).toEqual(made.encryptionKey)
  })
})

test('a link in the place of a secret is refused: another user may have chosen its content', () => {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(folder, 'theirs'), given.toString('base64'))
  symlinkSync(join(folder, 'theirs'), join(dataDir, 'encryption-key'))
  expect(() => loadSecrets({ dataDir })).toThrow(
    new SettingsError(
      `${join(dataDir, 'encryption-key')} is a symbolic link, which is not followed. Replace it with a file, or set RUNWRIGHT_ENCRYPTION_KEY to 32 bytes in base64.`,
    ),
  )
})

test('secrets from the settings touch no file', () => {
  const text = given.toString('base64')
  const secrets = loadSecrets({ dataDir, encryptionKey: text, previousEncryptionKeys: [text], keyPepper: text })
  expect(secrets).toEqual({
    encryptionKey: given,
    previousEncryptionKeys: [given],
    keyPepper: given,
    origin: { encryptionKey: 'setting', keyPepper: 'setting' },
  })
  expect(readdirSync(folder)).toEqual([])
})

test.each(['', 'hunter2', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
  'the setting %j is refused without being repeated',
  (keyPepper) => {
    const attempt = () => loadSecrets({ dataDir, encryptionKey: given.toString('base64'), keyPepper })
    expect(attempt).toThrow(
      new SettingsError(
        'RUNWRIGHT_KEY_PEPPER must be 32 bytes in base64, such as the output of openssl rand -base64 32.',
      ),
    )
  },
)

test('a damaged file is reported, not replaced', () => {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'encryption-key'), 'hunter2')
  expect(() => loadSecrets({ dataDir })).toThrow(/^The content of .*encryption-key must be 32 bytes in base64/)
  expect(readFileSync(join(dataDir, 'encryption-key'), 'utf8')).toBe('hunter2')
})

test('a folder that cannot be created is reported with the way out', () => {
  writeFileSync(join(folder, 'file'), '')
  const blocked = join(folder, 'file', 'data')
  expect(() => loadSecrets({ dataDir: blocked })).toThrow(SettingsError)
  expect(() => loadSecrets({ dataDir: blocked })).toThrow(
    /encryption-key cannot be read or created \(ENOTDIR\)\. .* set RUNWRIGHT_ENCRYPTION_KEY/,
  )
})

test('a fingerprint is the same for the same secret, differs for another, and does not contain it', () => {
  expect(fingerprint(given)).toMatch(/^[0-9a-f]{32}$/)
  expect(fingerprint(given)).toBe(fingerprint(Buffer.from(given)))
  expect(fingerprint(given)).not.toBe(fingerprint(Buffer.alloc(32, 8)))
  expect(given.toString('hex')).not.toContain(fingerprint(given))
})

// Node 20 cannot run TypeScript, so this needs the build, which `npm test` creates first.
const built = fileURLToPath(new URL('../../../dist/runtime/secrets/secrets.js', import.meta.url))

test.skipIf(!existsSync(built))('processes that start at once agree on the secrets', async () => {
  const script = `import { fingerprint, loadSecrets } from ${JSON.stringify(pathToFileURL(built).href)}
    process.stdin.once('data', () => {
      const { encryptionKey, keyPepper, origin } = loadSecrets({ dataDir: ${JSON.stringify(dataDir)} })
      console.log(fingerprint(encryptionKey), fingerprint(keyPepper), origin.encryptionKey)
      process.exit(0)
    })
    console.error('ready')`
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '-e', script]))
  await Promise.all(children.map((child) => once(child.stderr, 'data')))
  for (const child of children) child.stdin.write('go')
  const lines = (await Promise.all(children.map((child) => text(child.stdout)))).map((line) => line.trim().split(' '))
  expect(new Set(lines.map(([encryption, pepper]) => `${encryption} ${pepper}`)).size).toBe(1)
  expect(lines.filter(([, , origin]) => origin === 'created')).toHaveLength(1)
})
