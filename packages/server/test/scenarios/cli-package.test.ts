// The command as npx fetches it from a service: in an empty folder, as an ordinary user, from that one address alone.
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { isBuiltin } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandGroups } from '../../src/cli/command-table.ts'
import { installedOnly } from '../../src/cli/remote-main.ts'
import { version } from '../../src/runtime/version.ts'
import { type Service, startService } from '../support/service.ts'

/** `nobody`. Tests of another user stay that user. */
const ordinary = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

let service: Service
let home: string
let registry: Server
const askedOfRegistry: string[] = []

beforeAll(async () => {
  service = await startService({}, { worker: true })
  home = mkdtempSync(join(tmpdir(), 'runwright-npx-'))
  if (ordinary.uid !== undefined) chownSync(home, ordinary.uid, ordinary.gid)
  registry = createServer(({ url = '' }, response) => {
    askedOfRegistry.push(url)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await service.stop()
  registry.close()
  rmSync(home, { recursive: true, force: true })
})

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** In a shell, as a person pastes it. There is no address of the service but that in the command. */
function inShell(command: string): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    RUNWRIGHT_API_KEY: service.key,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_update_notifier: 'false',
    // npm sends the names of what it installs to the registry, to be told of known flaws.
    npm_config_audit: 'false',
  }
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', command], { cwd: home, env, ...ordinary }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

test('npx runs it, and what it prints can be pasted', { timeout: 120_000 }, async () => {
  const npx = `npx -y ${service.url}/cli.tgz`
  expect(await inShell(`${npx} run "Say hello"`)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`${service.url}/console/#/runs/run_`),
  })
  const waiting = await inShell(`${npx} run --example approval --detach`)
  const id = waiting.stdout.trim()
  const cancelled = await inShell(`${npx} signal ${id} nonsense; ${npx} cancel ${id}; ${npx} retry ${id}`)
  const [hint = ''] = /npx -y \S+ get <run id>/.exec(cancelled.stderr) ?? []
  expect(await inShell(hint.replace('<run id>', id))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('cancelled'),
  })
  expect(askedOfRegistry).toEqual([])
})

test('a command that it does not have says where it works', { timeout: 60_000 }, async () => {
  expect(await inShell(`npx -y ${service.url}/cli.tgz keys create --scopes runs:read`)).toMatchObject({
    code: 1,
    stderr: 'keys works only where the service is installed: it needs its files or its database. Run it there.\n',
  })
})

test('the package has every other command, imports nothing but Node, and is small', () => {
  const tarball = join(import.meta.dirname, `../../dist/cli-package/runwright-cli-${version}.tgz`)
  const local = commandGroups.filter(({ heading }) => /service itself|Administration/.test(heading))
  expect(local.flatMap(({ commands }) => commands.map(({ name }) => name))).toEqual(installedOnly)
  const code = execFileSync('tar', ['-xzOf', tarball, '--wildcards', '*.js', '*.mjs'], { encoding: 'utf8' })
  const imports = [...code.matchAll(/\b(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g)].map(([, name = '']) => name)
  expect(imports.filter((name) => /^[@\w]/.test(name) && !isBuiltin(name))).toEqual([])
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }))
  expect([manifest.dependencies, manifest.scripts]).toEqual([undefined, undefined])
  expect(statSync(tarball).size).toBeLessThan(100_000)
})
