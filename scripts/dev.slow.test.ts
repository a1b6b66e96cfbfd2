import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from './setup.mjs'

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('npm run dev serves from source, with the console, and stops with its database', {
  timeout: 120_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dev-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = { ...inherited, RUNWRIGHT_DATA_DIR: dataDir, RUNWRIGHT_PORT: String(await freePort()) }
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/dev.mjs')], { env, stdio: 'pipe' })
  const ended = once(child, 'exit')
  let output = ''
  const url = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const found = /hot reload: (\S+)/.exec(output)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)))
  })
  const page = await url
  // The page comes from its source, and its requests reach the service.
  expect(await (await fetch(page)).text()).toContain('/src/main.tsx')
  expect(await (await fetch(new URL('/health/live', page))).json()).toEqual({ status: 'ok' })
  expect(output).toContain('sandbox')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  // PostgreSQL removes it when it has stopped.
  expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
})
