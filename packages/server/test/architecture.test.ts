// The plan of the house, checked against the sources: which way the arrows go, where SQL stands, and who writes a run.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findPart } from '../../../scripts/docs-tables.mjs'
import { layerParts, layers } from '../../../scripts/layers.mjs'

/** From the bottom. A folder of packages/server/src imports only from lower rows. */
const rows = layers.map((layer) => Object.keys(layer)).reverse()

interface Import {
  readonly from: string
  readonly typesOnly: boolean
}

const root = join(import.meta.dirname, '../../..')
const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist|\.[^/]*)\//.test(path))
const isTest = (path: string) => /\.test\.tsx?$/.test(path)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const [contract, client, consoleApp, server] = ['contract', 'client', 'console', 'server'].map((name) =>
  sourcesIn(`packages/${name}/src`).filter((path) => !isTest(path)),
) as [string[], string[], string[], string[]]

const statement = /^(?:import|export) (?:(type )?((?:(?!^import|^export)[^'"])*?) from )?'([^']+)'/gm
const dynamic = /\b(?:import|require)\(\s*['"]([^'"]+)['"]/g

function importsOf(path: string): Import[] {
  const source = read(path)
  const fixed = [...source.matchAll(statement)].map(([, type, names = '', from = '']) => ({
    from,
    typesOnly: type !== undefined || /^\{\s*(type [\w\s]+,?\s*)+\}$/.test(names),
  }))
  return [...fixed, ...[...source.matchAll(dynamic)].map(([, from = '']) => ({ from, typesOnly: false }))]
}

const localImportsOf = (path: string): string[] =>
  importsOf(path)
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => posix.join(posix.dirname(path), from))
const packagesImportedBy = (paths: readonly string[]): Set<string> =>
  new Set(paths.flatMap(importsOf).flatMap(({ from }) => (from.startsWith('.') ? [] : [from])))

const folderOf = (path: string): string => path.split('/')[3] ?? ''
const rowOf = (path: string): number => rows.findIndex((row) => row.includes(folderOf(path)))
const mayImport = (from: string, to: string): boolean => folderOf(from) === folderOf(to) || rowOf(from) > rowOf(to)

/** SQL in a comment is only talk. */
const codeOf = (path: string): string => read(path).replace(/^\s*(\/\/|\/?\*).*$/gm, '')
const literalsOf = (path: string): string[] =>
  codeOf(path).match(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g) ?? []
const sql =
  /^.\s*(?:with|select|listen|set|notify|lock\s+table|truncate)\s|^.\s*(?:create|alter|drop)\s+(?:table|index|database|role)\s|\b(?:select\s[\s\S]*?\sfrom|insert\s+into|update\s+\w+\s[\s\S]*?\bset|delete\s+from)\s/i
/** The tables that only the run log writes: a run's state and what its changes leave behind. */
const tablesOfTheLog = ['runs', 'run_results', 'event_rows', 'journal', 'signals', 'usage_rows']
/** A table that is put into the statement, or added to it, may be any. */
const writes = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from|merge\\s+into|truncate(?:\\s+table)?|copy)\\s+(?:only\\s+)?(?:"?\\w+"?\\.)?"?` +
    `(?:(?:${tablesOfTheLog.join('|')})\\b|\\$\\{|['"\`])`,
  'i',
)
const schema = readdirSync(join(root, 'packages/server/src/store/migrations'))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => read(`packages/server/src/store/migrations/${name}`))
  .join('\n')
const tablesOfTheSchema = new Set([...schema.matchAll(/^create table (\w+)/gm)].map(([, name]) => name))
const speaksSql = (path: string): boolean => literalsOf(path).some((literal) => sql.test(literal))

type Follow = (from: string) => readonly string[]

function findCycle(starts: readonly string[], follow: Follow): string[] | undefined {
  const done = new Set<string>()
  const visit = (at: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(at)) return [...trail.slice(trail.indexOf(at)), at]
    if (done.has(at)) return undefined
    const cycle = follow(at)
      .map((next) => visit(next, [...trail, at]))
      .find((found) => found !== undefined)
    done.add(at)
    return cycle
  }
  return starts.map((start) => visit(start, [])).find((found) => found !== undefined)
}

describe('the server', () => {
  test('has only folders that the plan names', () => {
    expect(server.filter((path) => rowOf(path) < 0)).toEqual([])
  })

  test.each(layerParts())('$file shows the layers', ({ file, mark, text }) => {
    expect(findPart(read(file), mark), 'run `node scripts/write-docs.mjs` to write it again').toBe(text)
  })

  test('a folder imports only from lower rows, and never from its own row', () => {
    const arrows = server.flatMap((path) => localImportsOf(path).map((to) => [path, to] as const))
    expect(arrows.length).toBeGreaterThan(300)
    expect(arrows.filter(([from, to]) => !mayImport(from, to)).map((arrow) => arrow.join(' → '))).toEqual([])
  })

  test('only store/ speaks SQL or knows the driver', () => {
    const knowsDriver = (path: string) => importsOf(path).some(({ from }) => /^pg($|[/-])/.test(from))
    const asks = (path: string) => /\.(?:query|withConnection|transaction)\s*[(<]/.test(read(path)) || knowsDriver(path)
    const speakers = server.filter((path) => speaksSql(path) || asks(path))
    expect(speakers).toContain('packages/server/src/store/runs/runs.ts')
    expect(speakers.filter((path) => folderOf(path) !== 'store')).toEqual([])
  })

  test('links signals so that they can be released: AbortSignal.any keeps them alive with their listeners', () => {
    expect(server.filter((path) => codeOf(path).includes('AbortSignal.any('))).toEqual([])
  })

  test('the folders of a layer do not import each other in circles', () => {
    const arrows = new Map<string, Set<string>>()
    for (const path of server) {
      const folder = posix.dirname(path)
      for (const to of localImportsOf(path).map((target) => posix.dirname(target))) {
        if (to !== folder) arrows.set(folder, (arrows.get(folder) ?? new Set()).add(to))
      }
    }
    expect(arrows.size).toBeGreaterThan(25)
    expect(findCycle([...arrows.keys()], (folder) => [...(arrows.get(folder) ?? [])])).toBeUndefined()
  })

  test('only the run log writes runs, events and what belongs to them, and a move copies and deletes them', () => {
    expect(tablesOfTheLog.filter((table) => !tablesOfTheSchema.has(table))).toEqual([])
    const writers = server.filter((path) => writes.test(codeOf(path)))
    expect(writers).toContain('packages/server/src/store/run-log/change-statement.ts')
    const others = writers.filter((path) => !path.startsWith('packages/server/src/store/run-log/'))
    expect(others).toEqual(
      ['cells/move-state.ts', 'cells/part-rows.ts'].map((file) => `packages/server/src/store/${file}`),
    )
  })

  test('only the command line prints', () => {
    const printing = server.filter((path) => /\bconsole\.\w+\(|process\.std(?:out|err)\.write/.test(read(path)))
    expect(printing.filter((path) => folderOf(path) !== 'cli')).toEqual([])
  })
})

describe('the packages', () => {
  test('the contract needs nothing but zod', () => {
    expect([...packagesImportedBy(contract)]).toEqual(['zod'])
  })

  test('the client takes nothing but types from the contract', () => {
    const outside = client.flatMap(importsOf).filter(({ from }) => !from.startsWith('./'))
    expect(outside.filter(({ from, typesOnly }) => from !== '@runwright/contract' || !typesOnly)).toEqual([])
  })

  test('the console knows the client and the contract, the server only the contract, its command line the client too', () => {
    const ours = (paths: readonly string[]) => [...packagesImportedBy(paths)].filter((name) => /runwright/.test(name))
    expect(ours(consoleApp).filter((name) => !['@runwright/client', '@runwright/contract'].includes(name))).toEqual([])
    expect(ours(server.filter((path) => folderOf(path) !== 'cli'))).toEqual(['@runwright/contract'])
    expect(ours(server).filter((name) => !['@runwright/client', '@runwright/contract'].includes(name))).toEqual([])
  })

  test('no import leaves the package by a path', () => {
    const leaving = [...contract, ...client, ...consoleApp, ...server].filter((path) =>
      localImportsOf(path).some((to) => to.split('/').slice(0, 3).join() !== path.split('/').slice(0, 3).join()),
    )
    expect(leaving).toEqual([])
  })
})

test('what metrics, traces and sign-ins need is loaded only when they are configured', () => {
  const statically = (path: string) =>
    [...read(path).matchAll(statement)].filter(
      ([, type, names = '']) => !type && !/^\{\s*(type [\w\s]+,?\s*)+\}$/.test(names),
    )
  const loaded = new Set<string>(['packages/server/src/cli/serve/start.ts'])
  const packages = new Set<string>()
  for (const path of loaded) {
    for (const [, , , from = ''] of statically(path)) {
      if (from.startsWith('.')) loaded.add(posix.join(posix.dirname(path), from))
      else packages.add(from)
    }
  }
  expect(packages).toContain('fastify')
  expect([...packages].filter((name) => /^@opentelemetry\/|^(prom-client|openid-client)$/.test(name))).toEqual([])
})

test('no folder has more than 30 files', () => {
  const counts = new Map<string, number>()
  for (const path of [...contract, ...client, ...consoleApp, ...server]) {
    counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count > 30)).toEqual([])
})

test('no file imports itself through others', () => {
  expect(findCycle([...contract, ...client, ...consoleApp, ...server], localImportsOf)).toBeUndefined()
})

const generated = ['packages/client/src/wire.ts', 'packages/client/lib/']

test('no file is longer than 400 lines', () => {
  const written = (path: string) => !generated.some((start) => path.startsWith(start))
  const all = ['packages', 'scripts', 'bench'].flatMap(sourcesIn).filter(written)
  expect(all.length).toBeGreaterThan(300)
  expect(all.filter((path) => read(path).split('\n').length > 401)).toEqual([])
})
