// The file `client.json` of the data folder: where the service of this folder listens, and the first API key.
// The start that creates the key writes it, so that the command line and the sign-in link work on this machine at once.
// Errors never quote the file, because it contains a secret.
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from '../settings/settings-error.ts'
import { makeFolder } from './make-folder.ts'
import { readPrivateFile } from './own-file.ts'

export interface LocalClient {
  readonly url: string
  /** `key_…:secret` */
  readonly apiKey: string
}

export const localClientFile = (dataDir: string): string => join(dataDir, 'client.json')

/** Undefined if there is no file. Fails with a SettingsError if there is one that cannot be used. */
export function readLocalClient(dataDir: string): LocalClient | undefined {
  const file = localClientFile(dataDir)
  const text = readText(file)
  return text === undefined ? undefined : parse(text, file)
}

/** Replaces the file as a whole, so that a reader never sees a part of it. */
export function writeLocalClient(dataDir: string, { url, apiKey }: LocalClient): void {
  const file = localClientFile(dataDir)
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    makeFolder(dataDir, 0o700)
    const text = `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`
    writeFileSync(aside, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(aside, file)
  } catch (error) {
    throw new SettingsError(`${file} cannot be written (${codeOf(error)}). Make the folder writable for this user.`)
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Writes the address of this start into an existing file. Returns its client, undefined if there is no file. */
export function updateLocalUrl(dataDir: string, url: string): LocalClient | undefined {
  const client = readLocalClient(dataDir)
  if (client === undefined || client.url === url) return client
  const moved = { ...client, url }
  writeLocalClient(dataDir, moved)
  return moved
}

function readText(file: string): string | undefined {
  try {
    return readPrivateFile(file)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    if (code === 'EPERM') {
      throw new SettingsError(`${file} contains an API key and other users can read it. Run: chmod 600 ${file}`)
    }
    throw new SettingsError(`${file} cannot be read (${code}). It must be a regular file that this user may read.`)
  }
}

function parse(text: string, file: string): LocalClient {
  const { url, api_key: apiKey } = objectOf(text)
  if (typeof url === 'string' && URL.canParse(url) && typeof apiKey === 'string' && /^[^\s:]+:\S+$/.test(apiKey)) {
    return { url, apiKey }
  }
  throw new SettingsError(`${file} must be JSON with "url" and "api_key". Correct it, or delete it.`)
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code)
