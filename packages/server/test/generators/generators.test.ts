// Clients that the usual generators make of the OpenAPI document compile strictly, and work. It needs the npm registry
// the first time, see `install-generators.ts`.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'
import { generators, openWorkshop, runTool, type Workshop } from './generators.ts'
import { installGenerators } from './install-generators.ts'
import type { Play } from './programs/story.ts'

const installMs = 600_000
const generateMs = 120_000

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: [],
  // Of packages, not of what is generated.
  skipLibCheck: true,
}

let service: Service
let workshop: Workshop
let folder: string
beforeAll(async () => {
  const installed = await installGenerators()
  service = await startService({}, { worker: true })
  folder = await mkdtemp(join(tmpdir(), 'runwright-generators-'))
  const document = (await new Caller(service.url, null).get('/openapi.json')).json()
  workshop = await openWorkshop(installed, folder, document)
  await cp(join(import.meta.dirname, 'programs'), join(folder, 'programs'), { recursive: true })
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*/**/*.ts'] }))
}, installMs)
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

test(
  'without the registry, the test says that it needs it, and keeps nothing half installed',
  async () => {
    const cache = join(folder, 'cache')
    const args = ['--registry=http://127.0.0.1:1/', '--fetch-retries=0', `--cache=${join(folder, 'npm')}`]
    await expect(installGenerators({ cache, args })).rejects.toThrow(/This test needs the npm registry.*ECONNREFUSED/s)
    expect(await readdir(cache)).toEqual([])
  },
  generateMs,
)

test.each(generators)(
  '$name makes a client of the document',
  async ({ entry, generate }) => {
    await generate(workshop)
    expect(existsSync(join(folder, entry))).toBe(true)
  },
  generateMs,
)

test(
  'all clients compile strictly, and their types say what the service takes and returns',
  async () => {
    const said = await runTool(workshop, 'typescript/bin/tsc', ['-p', folder]).catch((error) => error)
    expect(said.stdout).toBe('')
  },
  generateMs,
)

describe.each(['use-hey-api.ts', 'use-openapi-fetch.ts'])('%s', (name) => {
  test('creates a run, follows its events, approves it, and reads its result', async () => {
    const { play }: { readonly play: Play } = await import(/* @vite-ignore */ join(folder, 'programs', name))
    const story = await play({ url: service.url, key: name === 'use-hey-api.ts' ? service.key : service.otherKey })
    expect(story).toMatchObject({ content: 'Paid.', approvedWith: 'approval', listed: [true] })
    expect(story.types).toEqual(expect.arrayContaining(['run.created', 'run.awaiting_input', 'run.signal_applied']))
    expect(story.types.at(-1)).toBe('run.worker.succeeded')
  })
})
