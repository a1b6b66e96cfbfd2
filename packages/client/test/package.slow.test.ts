// The client as its users get it: one package without dependencies that installs alone.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleTypes } from '../../../scripts/bundle-client.mjs'
import { frame } from './event-server.ts'
import { answer, startServer } from './protocol-server.ts'

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const { version } = JSON.parse(readFileSync(pathOf('../package.json'), 'utf8'))
const tarball = pathOf(`../dist/runwright-client-${version}.tgz`)
const texts = ['docs/client.md', 'README.md'].map((file) => readFileSync(pathOf(`../../../${file}`), 'utf8'))

let project: string
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'runwright-client-'))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  // Offline: nothing else is needed.
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project, stdio: 'pipe' })
})
afterAll(() => rmSync(project, { recursive: true }))

const installed = (file: string) => join(project, 'node_modules/@runwright/client', file)

test('has two files that import nothing, 45 kB of code at most', () => {
  expect(statSync(installed('lib/index.js')).size).toBeLessThan(45_000)
  for (const file of ['lib/index.js', 'lib/index.d.ts']) {
    expect(readFileSync(installed(file), 'utf8')).not.toMatch(/\bfrom ['"]|\bimport\(|\brequire\(/)
  }
})

/** Bun and Deno are tested where they are installed. */
const runtimes = [
  { runtime: 'Node', program: process.execPath, args: [] },
  { runtime: 'Bun', program: 'bun', args: ['run'] },
  { runtime: 'Deno', program: 'deno', args: ['run', '--allow-net', '--allow-env', '--no-remote'] },
].filter(({ runtime, program }) => {
  const isThere = spawnSync(program, ['--version']).status === 0
  if (!isThere) console.error(`${runtime} is not installed: the client is not tested with it.`)
  return isThere
})

test.each(runtimes)('runs in a project of its own, with $runtime', async ({ program, args }) => {
  const server = await startServer((request, response) => {
    if (request.path.endsWith('/stream'))
      return response.end(frame(1, 'run.created') + frame(2, 'run.worker.succeeded'))
    if (request.path.endsWith('/events')) return answer(response, 200, { events: [], next_cursor: 2 })
    return answer(response, 200, { id: 'run_1', status: 'queued' })
  })
  writeFileSync(
    join(project, 'app.mjs'),
    `import process from 'node:process'
import { Runwright } from '@runwright/client'
const client = new Runwright({ baseUrl: process.argv[2], apiKey: 'key_1:secret' })
const { id } = await client.runs.create({ input: {} })
for await (const event of client.events.stream(id)) console.log(event.seq, event.type)`,
  )
  const child = spawn(program, [...args, 'app.mjs', server.url], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const printed = (await child.stdout.toArray()).join('')
  expect(printed).toBe('1 run.created\n2 run.worker.succeeded\n')
  expect(await exited).toEqual([0, null])
})

describe('the examples of docs/client.md and the README', () => {
  const examples = [...texts.join('\n').matchAll(/```(?:js|ts)\n([\s\S]*?)```/g)].map(([, code = '']) => code)

  test.each(['nodenext', 'bundler'])('compile under tsc --strict, module resolution %s', (moduleResolution) => {
    const names = examples.map((code, index) => {
      const isWhole = code.includes("from '@runwright/client'")
      const before = `import { Runwright } from '@runwright/client'\ndeclare const client: Runwright\ndeclare const id: string\ndeclare const run: Awaited<ReturnType<typeof client.runs.get>>\n`
      writeFileSync(join(project, `example-${index}.ts`), `${isWhole ? '' : before}${code}\nexport {}\n`)
      return `example-${index}.ts`
    })
    expect(names.length).toBeGreaterThan(0)
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext'
    const options = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable']
    const types = ['--types', 'node', '--typeRoots', pathOf('../../../node_modules/@types')]
    const compiler = pathOf('../../../node_modules/typescript/bin/tsc')
    const resolution = ['--module', module, '--moduleResolution', moduleResolution]
    const args = [compiler, ...options, ...types, ...resolution, ...names]
    expect(compile(args)).toBe('')
  })
})

function compile(args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: installed(''), strict: true, pack: false })
  expect(messages).toEqual([])
})

test('are the types wrong? No, in every way of importing a module', async () => {
  const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  const problems = checked.types === false ? ['no types'] : checked.problems
  // It is an ES module, which CommonJS can `require` in every Node that it supports.
  expect(problems.filter((problem) => typeof problem === 'string' || problem.kind !== 'CJSResolvesToESM')).toEqual([])
})

test('two files that declare one name are refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwright-types-'))
  writeFileSync(join(folder, 'index.d.ts'), `export type { A } from './a.ts';\nexport type { B } from './b.ts';\n`)
  writeFileSync(join(folder, 'a.d.ts'), 'export interface A {}\ninterface Options {}\n')
  writeFileSync(join(folder, 'b.d.ts'), 'export interface B {}\ninterface Options {}\n')
  expect(() => bundleTypes(join(folder, 'index.d.ts'))).toThrow('two files of the client declare Options')
  rmSync(folder, { recursive: true })
})
