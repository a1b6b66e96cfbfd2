// What the docs say about the code is true of it: tables, links, commands and codes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as contract from '@runwright/contract'
import { reasonCodes } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
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

test.each(parts)('the table of $mark in $file is that of the code', ({ file, mark, text }) => {
  expect(findPart(read(file), mark), 'run `node scripts/write-docs.mjs` to write it again').toBe(text)
})

test('the picture of the states is that of the code', () => {
  expect(read('docs/images/states.svg'), 'run `node scripts/write-docs.mjs` to write it again').toBe(
    stateDiagram(transitions),
  )
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
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    const files = [...text.matchAll(/\bnode ((?:scripts|packages)\/[\w./-]+\.mjs)/g)].map(([, file = '']) => file)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

// A start refuses any other name, so docs must not invent one, not even for a shell's own use.
test.each(documents.filter((document) => document !== 'CHANGELOG.md'))(
  'every setting that %s names is one',
  (document) => {
    const known = new Set([...allSettings.map(({ name }) => name), ...clientVariables])
    const named = [...read(document).matchAll(/\bRUNWRIGHT_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  },
)

test('the README knows the commands that test', () => {
  const blocks = [...read('README.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  const commands = blocks.flatMap((block) => block.split('\n')).filter((line) => /\b(test|check|vitest)\b/.test(line))
  expect(commands).toEqual(['npm test', 'npm run test:all'])
})

describe.each([
  ['README.md', 'Figures'],
  ['docs/operations.md', 'Sizing'],
])('the figures of %s', (document, title) => {
  const section = new RegExp(`^## ${title}\\n([\\s\\S]*?)^## `, 'm').exec(read(document))?.[1] ?? ''
  const measured = read('bench/results.md').replaceAll(',', '')

  test('are those of bench/results.md', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('|') && line.includes('`'))
    const results = [...rows.map((row) => row.split('|')[2] ?? ''), /^Not good[\s\S]*/m.exec(section)?.[0] ?? '']
    const figures =
      results
        .join(' ')
        .replaceAll(/(?<=\d),(?=\d)/g, '')
        .match(/(?<![\w.])\d+(?:\.\d+)?/g) ?? []
    expect(figures.length).toBeGreaterThan(10)
    expect(figures.filter((figure) => !new RegExp(`(?<![\\d.])${figure}(?![\\d.])`).test(measured))).toEqual([])
  })

  test('name a benchmark that exists', () => {
    const named = [...section.matchAll(/npm run bench -- (\w+)/g)].map(([, name]) => `bench/${name}.mjs`)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
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
