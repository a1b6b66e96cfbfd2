// The user that PostgreSQL runs as. PostgreSQL refuses root, so a service started by root runs it as another user, the
// same at every start: the owner of the cluster, else the owner of the data folder or of the checkout around it, else
// `postgres`, else `nobody`. A new owner needs a passwd entry: initdb fails without one.
import { spawnSync } from 'node:child_process'
import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Undefined when PostgreSQL runs as the user of this process. */
export function chooseAccount(clusterDir: string, dataDir: string): Account | undefined {
  if (!isRoot()) return undefined
  return ownerIn(lstatSync(clusterDir, { throwIfNoEntry: false })) ?? findOwnerWithEntry(dataDir) ?? getServiceAccount()
}

function findOwner(path: string): Account | undefined {
  return ownerIn(statSync(path, { throwIfNoEntry: false }))
}

function ownerIn(stat: Stats | undefined): Account | undefined {
  if (stat === undefined || stat.uid === 0) return undefined
  return { uid: stat.uid, gid: stat.gid }
}

function findOwnerWithEntry(dataDir: string): Account | undefined {
  const owner = findOwner(dataDir) ?? findOwner(nearestExisting(dirname(dataDir)))
  return owner && findAccount(String(owner.uid))
}

function nearestExisting(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? nearestExisting(dirname(path)) : path
}

function getServiceAccount(): Account {
  const account = findAccount('postgres') ?? findAccount('nobody')
  if (account !== undefined) return account
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root and this host has no user postgres or nobody. Start Runwright as another user, or set DATABASE_URL.',
  )
}

function findAccount(nameOrUid: string): Account | undefined {
  const uid = idOf('-u', nameOrUid)
  const gid = idOf('-g', nameOrUid)
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid }
}

function idOf(option: '-u' | '-g', nameOrUid: string): number | undefined {
  const { status, stdout } = spawnSync('id', [option, nameOrUid], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}
