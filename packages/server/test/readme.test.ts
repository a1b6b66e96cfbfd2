// What the docs say about the code is true of it: tables, links, commands and codes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as contract from '@runwright/contract'
import { reasonCodes } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { limitFiles, limitParts } from '../../../scripts/docs-limits.mjs'
import { findPart, generatedParts } from '../../../scripts/docs-tables.mjs'
import { stateDiagram } from '../../../scripts/state-diagram.mjs'
import { transitions } from '../src/domain/run/states.ts'
import { clientVariables } from '../src/runtime/settings/client-variables.ts'
import { renderSettingsTable } from '../src/runtime/settings/render-settings-table.ts'
import { allSettings } from '../src/runtime/settings/setting-table.ts'
import { limitsByClass, readSettings } from '../src/runtime/settings/settings.ts'
import { renderMetricsTable } from '../src/telemetry/render-metrics-table.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownIn('docs'),
  ...markdownIn('examples'),
  ...markdownIn('deploy'),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
]

const parts = generatedParts({
  ...contract,
  settings: renderSettingsTable(),
  metrics: renderMetricsTable(),
  limits: limitsByClass(readSettings({}).limits),
  transitions,
})

const modules = new Map(
  await Promise.all(
    limitFiles.map(
      async (file) => [file, await import(/* @vite-ignore */ join(root, `packages/server/src/${file}.ts`))] as const,
    ),
  ),
)
const limits = limitParts({
  contract,
  constant: (file, name) => modules.get(file)[name],
  defaultOf: (name) => allSettings.find((setting) => setting.name === name)?.default,
})

test.each([...parts, ...limits])('the table of $mark in $file is that of the code', ({ file, mark, text }) => {
  expect(findPart(read(file), mark), 'run `node scripts/write-docs.mjs` to write it again').toBe(text)
})

test('the picture of the states is that of the code', () => {
  expect(read('docs/images/states.svg'), 'run `node scripts/write-docs.mjs` to write it again').toBe(
    stateDiagram(transitions),
  )
})

const withoutGenerated = (markdown: string): string =>
  markdown.replace(/<!-- (\w+):begin -->[\s\S]*?<!-- \1:end -->/g, '')

test('no page is longer than a reader wants to read, except what is generated', () => {
  const wordsIn = (path: string): number => withoutGenerated(read(path)).split(/\s+/).length
  expect(markdownIn('docs').filter((path) => wordsIn(path) > 2_500)).toEqual([])
})

test('every built-in tool has a page of its own', () => {
  const pages = readdirSync(join(root, 'docs/tools')).map(
    (name) => /^# The tool `(\w+)`$/m.exec(read(`docs/tools/${name}`))?.[1],
  )
  expect(pages.toSorted()).toEqual([...contract.builtInTools].toSorted())
})

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
const anchorsIn = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

function leadsNowhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsIn(target).includes(anchor))
}

describe.each(documents)('%s', (document) => {
  const text = read(document)

  test('every link inside the project leads somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const inside = links.filter((link) => !/^[a-z]+:/.test(link))
    expect(inside.filter((link) => leadsNowhere(document, link))).toEqual([])
  })

  test('every npm script and every script file that it names is there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name)
    const files = [...text.matchAll(/\bnode ((?:scripts|packages)\/[\w./-]+\.mjs)/g)].map(([, file = '']) => file)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

/** Only tests read these: how often they try something. */
const testVariables = ['RUNWRIGHT_TEST_PAUSES', 'RUNWRIGHT_TEST_RACES']

// A start refuses any other name, so docs must not invent one, not even for a shell's own use.
test.each(documents.filter((document) => document !== 'CHANGELOG.md'))(
  'every setting that %s names is one',
  (document) => {
    const known = new Set([...allSettings.map(({ name }) => name), ...clientVariables, ...testVariables])
    const named = [...read(document).matchAll(/\bRUNWRIGHT_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  },
)

test('the README knows the commands that test', () => {
  const blocks = [...read('README.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const commands = blocks.flatMap((block) => block.split('\n')).filter((line) => /\b(test|check|vitest)\b/.test(line))
  expect(commands).toEqual(['npm test', 'npm run test:all'])
})

// A number behind a setting is its default: `RUNWRIGHT_LEASE_SECONDS` (30).
test.each(documents.filter((document) => document !== 'CHANGELOG.md'))(
  'the defaults that %s names are those of the settings',
  (document) => {
    const named = [...read(document).matchAll(/`(RUNWRIGHT_[A-Z_]+)`\s+\(([\d.,]+)( minutes)?\)/g)]
    const wrong = named.filter(([, name, shown = '', minutes]) => {
      const value = Number(shown.replaceAll(',', '')) * (minutes ? 60 : 1)
      return value !== allSettings.find((setting) => setting.name === name)?.default
    })
    expect(wrong.map(([text]) => text)).toEqual([])
  },
)

const measured = read('bench/results.md').replaceAll(',', '')
const sectionOf = (document: string, title: string): string =>
  new RegExp(`^## ${title}\\n([\\s\\S]*?)(?:^## |(?![\\s\\S]))`, 'm').exec(read(document))?.[1] ?? ''

const figuresIn = (text: string): string[] =>
  text.replaceAll(/(?<=\d),(?=\d)/g, '').match(/(?<![\w.])\d+(?:\.\d+)?/g) ?? []
const notMeasured = (figures: readonly string[]): string[] =>
  figures.filter((figure) => !new RegExp(`(?<![\\d.])${figure}(?![\\d.])`).test(measured))

describe.each([
  ['README.md', 'Figures'],
  ['docs/sizing.md', 'Sizing'],
])('the figures of %s', (document, title) => {
  const section = sectionOf(document, title)

  test('are those of bench/results.md', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('|') && line.includes('`'))
    const results = [...rows.map((row) => row.split('|')[2] ?? ''), /^Not good[\s\S]*/m.exec(section)?.[0] ?? '']
    const figures = figuresIn(results.join(' '))
    expect(figures.length).toBeGreaterThan(10)
    expect(notMeasured(figures)).toEqual([])
  })

  test('name a benchmark that exists', () => {
    const named = [...section.matchAll(/npm run bench -- (\w+)/g)].map(([, name]) => `bench/${name}.mjs`)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

// Prose with figures of benchmarks: the paragraph or table that begins with these words.
test.each([
  ['README.md', 'Other systems', 'Speed is not', 4],
  ['docs/sizing.md', 'Sizing', '- \\*\\*Disk', 4],
  ['docs/sizing.md', 'What grows', '\\| a run with one step', 4],
])('the figures in %s, "%s", are those of bench/results.md', (document, title, begin, least) => {
  const [text = ''] =
    new RegExp(`^${begin}[\\s\\S]*?(?=\\n(?:\\n|- )|(?![\\s\\S]))`, 'm').exec(sectionOf(document, title)) ?? []
  const figures = figuresIn(text).filter((figure) => figure.length > 2)
  expect(figures.length).toBeGreaterThanOrEqual(least)
  expect(notMeasured(figures)).toEqual([])
})

const codesIn = (text: string) => [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+|OVERLOADED)`/g)].map(([, code = '']) => code)
const knownCodes = new Set<string>([...reasonCodes, ...allSettings.map(({ name }) => name)])

test('docs/errors.md has every code that is returned, and no other', () => {
  const codes = codesIn(read('docs/errors.md'))
  expect(reasonCodes.filter((code) => !codes.includes(code))).toEqual([])
  expect(codes.filter((code) => !knownCodes.has(code))).toEqual([])
})

describe('docs/api.md', () => {
  const text = read('docs/api.md')

  test('every code in it is one that is returned', () => {
    const codes = codesIn(text)
    expect(codes.length).toBeGreaterThan(20)
    expect(codes.filter((code) => !knownCodes.has(code))).toEqual([])
  })

  test('the lowercase spellings of the signal guide are told apart from what is returned', () => {
    for (const synonym of ['run_not_awaiting_input', 'invalid_signal_type', 'run_not_found']) {
      expect(text).toContain(`\`${synonym}\``)
      expect(reasonCodes).not.toContain(synonym)
    }
  })
})
