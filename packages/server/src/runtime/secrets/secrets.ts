// The two secrets of an installation: from the settings, or generated once and stored in the data folder.
// A secret file is created atomically (written to a temporary file, then linked), so two processes that start at the
// same time get the same secret, and a crash leaves no partial file.
import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'
import { readOwnFile } from '../files/own-file.ts'
import { base64Of32Bytes } from '../settings/parsers.ts'
import { SettingsError } from '../settings/settings-error.ts'

export interface SecretSource {
  readonly dataDir: string
  readonly encryptionKey?: string | undefined
  readonly previousEncryptionKeys?: readonly string[] | undefined
  readonly keyPepper?: string | undefined
}

/** `created` means that this call generated the secret, so existing data cannot have used it. */
export type SecretOrigin = 'setting' | 'file' | 'created'

/** The current encryption key, and previous ones that may still be needed to decrypt. */
export interface EncryptionKeys {
  readonly encryptionKey: Buffer
  readonly previousEncryptionKeys?: readonly Buffer[]
}

export interface Secrets extends EncryptionKeys {
  readonly previousEncryptionKeys: readonly Buffer[]
  readonly keyPepper: Buffer
  readonly origin: { readonly encryptionKey: SecretOrigin; readonly keyPepper: SecretOrigin }
}

interface Place {
  readonly setting: string
  readonly dataDir: string
  readonly file: string
}

interface LoadedSecret {
  readonly bytes: Buffer
  readonly origin: SecretOrigin
}

export function loadSecrets({ dataDir, encryptionKey, previousEncryptionKeys, keyPepper }: SecretSource): Secrets {
  const encryption = loadSecret(encryptionKey, placeOf(dataDir, 'encryption-key', 'RUNWRIGHT_ENCRYPTION_KEY'))
  const pepper = loadSecret(keyPepper, placeOf(dataDir, 'key-pepper', 'RUNWRIGHT_KEY_PEPPER'))
  return {
    encryptionKey: encryption.bytes,
    previousEncryptionKeys: (previousEncryptionKeys ?? []).map((text) => Buffer.from(text, 'base64')),
    keyPepper: pepper.bytes,
    origin: { encryptionKey: encryption.origin, keyPepper: pepper.origin },
  }
}

/** Lets hosts detect that their secrets differ, without revealing the secrets. */
export function fingerprint(secret: Buffer): string {
  return createHmac('sha256', secret).update('runwright secret fingerprint').digest().subarray(0, 16).toString('hex')
}

function placeOf(dataDir: string, fileName: string, setting: string): Place {
  return { setting, dataDir, file: join(dataDir, fileName) }
}

function loadSecret(text: string | undefined, place: Place): LoadedSecret {
  if (text !== undefined) return { bytes: decode(text, place.setting), origin: 'setting' }
  try {
    const stored = findStored(place)
    if (stored !== undefined) return { bytes: stored, origin: 'file' }
    const created = createFile(place)
    return { bytes: getStored(place), origin: created ? 'created' : 'file' }
  } catch (error) {
    throw toSettingsError(error, place)
  }
}

function decode(text: string, subject: string): Buffer {
  const parsed = base64Of32Bytes(text)
  if (!parsed.ok) throw new SettingsError(`${subject} must be ${parsed.wants}.`)
  return Buffer.from(parsed.value, 'base64')
}

function findStored(place: Place): Buffer | undefined {
  try {
    return getStored(place)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function getStored({ file }: Place): Buffer {
  return decode(readOwnFile(file).trim(), `The content of ${file}`)
}

/** Returns false if another process created the file first. */
function createFile({ dataDir, file }: Place): boolean {
  // If this process is root, PostgreSQL runs as another user that needs to traverse the folder.
  makeFolder(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return linkIfAbsent(aside, file)
  } finally {
    rmSync(aside, { force: true })
    syncFolder(dataDir)
  }
}

function linkIfAbsent(aside: string, file: string): boolean {
  try {
    linkSync(aside, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

// Encrypted data survives a power failure, so the directory entry of the key must too. Windows cannot open folders.
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function toSettingsError(error: unknown, { file, setting }: Place): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  if (code === 'ELOOP') {
    return new SettingsError(
      `${file} is a symbolic link, which is not followed. Replace it with a file, or set ${setting} to 32 bytes in base64.`,
    )
  }
  return new SettingsError(
    `${file} cannot be read or created (${code}). Set RUNWRIGHT_DATA_DIR to a folder that this user can write to, or set ${setting} to 32 bytes in base64.`,
  )
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
