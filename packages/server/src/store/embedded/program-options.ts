// Options to start a PostgreSQL program: the site's user, a folder of the site, and its own environment, because that
// of this process has secrets and PG… variables that are meant for clients.
import type { SpawnOptions } from 'node:child_process'
import type { Site } from './site.ts'

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
