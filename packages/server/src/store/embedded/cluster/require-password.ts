// Makes a cluster refuse every connection without the password: a new one, one of a version that trusted its socket,
// and one whose password file is lost. PostgreSQL does it itself, in single-user mode: no process can connect
// meanwhile, and root writes nothing into a folder of another user.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { readOwnFile } from '../../../runtime/own-file.ts'
import type { NewCluster } from './create-cluster.ts'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { errorCode } from './error-code.ts'
import { ensurePasswordFile, findPassword, scramVerifier } from './password.ts'
import { complaintOf, isRival, lastWord, programOptions } from './program.ts'
import { nameForServer, type Site } from './site.ts'
import { SUPERUSER } from './superuser.ts'

const rules = [
  '# Written by Runwright at the start: every connection needs the password in postgres.password.',
  'local all all scram-sha-256',
  'host all all 127.0.0.1/32 scram-sha-256',
]

/** False when another server has the cluster. */
export async function requirePassword(request: NewCluster): Promise<boolean> {
  const { site, signal } = request
  if (findPassword(site) !== undefined && hasOurRules(site)) return true
  const complaint = await runStatements(request, statementsFor(ensurePasswordFile(site)))
  signal?.throwIfAborted()
  if (complaint === undefined) return true
  if (isRival(complaint)) return false
  throw new EmbeddedPostgresError(
    `Could not set the password of the database in ${site.clusterDir} (${lastWord(complaint)}).`,
  )
}

// The rules are written last, so their presence means that the password is set.
function hasOurRules({ clusterDir }: Site): boolean {
  try {
    return readOwnFile(join(clusterDir, 'pg_hba.conf')) === rules.map((line) => `${line}\n`).join('')
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

function statementsFor(password: string): string[] {
  const lines = rules.map((line) => `('${line}')`).join(', ')
  return [
    `alter role ${SUPERUSER} password '${scramVerifier(password)}'`,
    `do $$ begin execute format('copy (values ${lines.replaceAll("'", "''")}) to %L', current_setting('data_directory') || '/pg_hba.conf'); end $$`,
  ]
}

/** In single-user mode, each line is a statement. The statements go through a pipe: a command line is public. */
async function runStatements(
  { site, binaries, signal }: NewCluster,
  statements: string[],
): Promise<string | undefined> {
  const folder = nameForServer(site.clusterDir, site.account)
  const settings = ['exit_on_error=on', 'log_min_error_statement=panic', 'log_error_verbosity=terse']
  const options = settings.flatMap((setting) => ['-c', setting])
  const child = spawn(binaries.postgres, ['--single', '-D', folder, ...options, 'postgres'], {
    ...programOptions(site, site.clusterDir),
    stdio: ['pipe', 'ignore', 'pipe'],
    signal,
  })
  // It ends early when it cannot start. Its complaint tells why.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(statements.map((statement) => `${statement}\n`).join(''))
  return complaintOf(child)
}
