// The password of the service's role, in a file that only the service's user can read. PostgreSQL itself stores only a
// SCRAM verifier, from which the password cannot be computed: when root starts the service, other processes of
// PostgreSQL's user cannot connect.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOwnFile } from '../../../runtime/files/own-file.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import type { Site } from '../site/site.ts'

export function passwordFile(site: Site): string {
  return join(site.dataDir, 'postgres.password')
}

export function findPassword(site: Site): string | undefined {
  try {
    return readOwnFile(passwordFile(site)).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new EmbeddedPostgresError(
      `The password of the database, ${passwordFile(site)}, cannot be read (${errorCode(error)}). It must be a regular file that the user of this process owns.`,
    )
  }
}

/** Two processes that create one at once get the same. */
export function ensurePasswordFile(site: Site): string {
  try {
    writeFileSync(passwordFile(site), `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  return findPassword(site) ?? ''
}

const ITERATIONS = 4096

/** What PostgreSQL stores for a password (RFC 5803). It accepts this form in place of the password. */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest()
  const [saltText, stored, server] = [salt, storedKey, keyOf('Server Key')].map((bytes) => bytes.toString('base64'))
  return `SCRAM-SHA-256$${ITERATIONS}:${saltText}$${stored}:${server}`
}
