// Starts the service as an operator does, on a given database.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { benchKey } from './service.mjs'

const command = new URL('../../packages/server/bin/runwright.mjs', import.meta.url).pathname

/** The command `runwright start` on a database of its own. */
export async function startService(databaseUrl, settings = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
  const env = { DATABASE_URL: databaseUrl, RUNWRIGHT_DATA_DIR: dataDir, RUNWRIGHT_PORT: '0' }
  const more = { RUNWRIGHT_BOOTSTRAP_KEYS: `bench=${benchKey}`, RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0' }
  const child = spawn(process.execPath, [command, 'start'], {
    env: { ...process.env, ...env, ...more, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let url
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /^ {2}API +(\S+)$/.exec(line)?.[1]
    if (url) break
  }
  child.stdout.resume()
  const stop = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { url, stop }
}
