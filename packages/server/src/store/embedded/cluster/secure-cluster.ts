// Makes a cluster refuse every connection without the password, and gives the service its role: a new cluster, one of a
// version that trusted its socket or whose service was the superuser, and one whose password file is lost. PostgreSQL
// does it itself, in single-user mode: no process can connect meanwhile, and root writes nothing into a folder of
// another user.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { readOwnFile } from '../../../runtime/files/own-file.ts'
import { complaintOf, isRival, lastWord, programOptions } from '../programs/program.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import { nameForServer, type Site } from '../site/site.ts'
import type { NewCluster } from './create-cluster.ts'
import { ensurePasswordFile, findPassword, scramVerifier } from './password.ts'
import { roleStatements, SERVICE_ROLE } from './roles.ts'

// A changed line makes the next start do everything again.
const rules = [
  `# Written by Runwright at the start: every connection needs a password. That of ${SERVICE_ROLE} is in postgres.password.`,
  'local all all scram-sha-256',
  'host all all 127.0.0.1/32 scram-sha-256',
]

interface SecureCluster extends NewCluster {
  readonly moreRights?: readonly string[] | undefined
}

/** False when another server has the cluster. */
export async function secureCluster(request: SecureCluster): Promise<boolean> {
  const { site, signal, moreRights = [] } = request
  if (findPassword(site) !== undefined && hasOurRules(site)) return true
  const statements = [...roleStatements(scramVerifier(ensurePasswordFile(site))), ...moreRights, writeRules()]
  const complaint = await runSingleUser(request, statements)
  signal?.throwIfAborted()
  if (complaint === undefined) return true
  if (isRival(complaint)) return false
  throw new EmbeddedPostgresError(
    `Could not set the roles and the password of the database in ${site.clusterDir} (${lastWord(complaint)}).`,
  )
}

// The rules are written last, so their presence means that the rest is done.
function hasOurRules({ clusterDir }: Site): boolean {
  try {
    return readOwnFile(join(clusterDir, 'pg_hba.conf')) === rules.map((line) => `${line}\n`).join('')
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

function writeRules(): string {
  const lines = rules.map((line) => `('${line}')`).join(', ')
  return `do $$ begin execute format('copy (values ${lines.replaceAll("'", "''")}) to %L', current_setting('data_directory') || '/pg_hba.conf'); end $$`
}

/**
 * Runs statements as the superuser, while no server has the cluster. Each is one line. They go through a pipe: a
 * command line is public. Returns the complaint of PostgreSQL, undefined if there is none.
 */
export async function runSingleUser(
  { site, binaries, signal }: Pick<NewCluster, 'site' | 'binaries' | 'signal'>,
  statements: readonly string[],
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
