// The superuser's password. Only for a server on the loopback interface, where every user of the host can connect.
import { randomBytes } from 'node:crypto'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from './error-code.ts'
import type { Site } from './site.ts'

export function passwordFile(site: Site): string {
  return join(site.dataDir, 'postgres.password')
}

export function findPassword(site: Site): string | undefined {
  try {
    return readFileSync(passwordFile(site), 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Two processes that create one at once get the same. */
export function makePassword(site: Site): void {
  try {
    writeFileSync(passwordFile(site), `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    if (site.account !== undefined) chownSync(passwordFile(site), site.account.uid, site.account.gid)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
