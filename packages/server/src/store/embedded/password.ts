// The superuser's password, for a server on the loopback interface alone: any user of the host can knock there.
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

/** Two processes that make one at once end up with the same. */
export function makePassword(site: Site): void {
  try {
    writeFileSync(passwordFile(site), `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    if (site.account !== undefined) chownSync(passwordFile(site), site.account.uid, site.account.gid)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
