// Creates a cluster under another name and renames it. So an existing cluster is complete, the remains of a killed
// initdb are never used, and of two processes that create one at once the second uses the first one's.
import { spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from '../programs/binaries.ts'
import { complaintOf, lastWord, programOptions } from '../programs/program.ts'
import { EmbeddedPostgresError } from '../site/embedded-postgres-error.ts'
import { errorCode } from '../site/error-code.ts'
import { makePrivate } from '../site/own-folder.ts'
import { nameForServer, type Site } from '../site/site.ts'
import { SUPERUSER } from './roles.ts'

export interface NewCluster {
  readonly site: Site
  readonly binaries: Binaries
  readonly report: (message: string) => void
  readonly signal?: AbortSignal | undefined
}

const DRAFT_PREFIX = 'postgres.initdb-'

// Much longer than initdb takes: a younger draft may belong to another process.
const ABANDONED_AFTER_MS = 10 * 60_000

export async function createCluster(request: NewCluster): Promise<void> {
  const { site, report } = request
  report(`Creating a new database in ${site.clusterDir}.`)
  removeAbandonedDrafts(site.dataDir)
  const draft = makeDraft(site)
  try {
    await runInitdb(request, draft)
    await moveIntoPlace(draft, site)
  } finally {
    // Programs that a killed initdb has started may write for a moment longer.
    rmSync(draft, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

function makeDraft({ dataDir, account }: Site): string {
  const draft = mkdtempSync(join(dataDir, DRAFT_PREFIX))
  makePrivate(draft, account)
  return draft
}

function removeAbandonedDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    if (!name.startsWith(DRAFT_PREFIX)) continue
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_AFTER_MS)
      rmSync(path, { recursive: true, force: true })
  }
}

async function runInitdb({ site, binaries, signal }: NewCluster, draft: string): Promise<void> {
  const child = spawn(binaries.initdb, ['-D', nameForServer(draft, site.account), ...initdbArguments], {
    ...programOptions(site, draft),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  const complaint = await complaintOf(child)
  signal?.throwIfAborted()
  if (complaint === undefined) return
  throw new EmbeddedPostgresError(`Could not create a database in ${site.dataDir} (${lastWord(complaint)}).`)
}

// PostgreSQL's built-in C.UTF-8: the same on every host, whatever locales it has.
const initdbArguments = [
  `--username=${SUPERUSER}`,
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
  // `secureCluster` sets the rules before the first server starts.
  '--auth=reject',
]

async function moveIntoPlace(draft: string, site: Site): Promise<void> {
  try {
    renameSync(draft, site.clusterDir)
    await syncFolder(site.dataDir)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
