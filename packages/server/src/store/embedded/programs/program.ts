// Starting a PostgreSQL program: as the site's user, in a folder of the site, and with its own environment, because
// that of this process has secrets and PG… variables that are meant for clients. And reading why a program failed.
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import type { Site } from '../site/site.ts'

export function programOptions(site: Site, folder: string): SpawnOptions {
  return {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...windowsEnvironment() },
    windowsHide: true,
    ...(site.account && { uid: site.account.uid, gid: site.account.gid }),
  }
}

function windowsEnvironment(): Record<string, string | undefined> {
  if (process.platform !== 'win32') return {}
  return { SystemRoot: process.env.SystemRoot, TEMP: process.env.TEMP }
}

/** Undefined on success. */
export async function complaintOf(child: ChildProcess): Promise<string | undefined> {
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    complaint += part
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? undefined : complaint))
  })
}

/** The line that names the error, for a sentence. */
export function lastWord(complaint: string): string {
  const lines = complaint.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((candidate) => /error:|FATAL:/.test(candidate)) ?? lines.at(-1) ?? 'it was stopped'
  return line.replace(/^.*(error|FATAL): +/, '').replace(/\.$/, '')
}

// Another server has the cluster, or is starting, or its last children are still ending.
const rival = /lock file "[^"]{0,4096}" (?:already exists|is empty)|pre-existing shared memory block/

export const isRival = (complaint: string): boolean => rival.test(complaint)
