// Files that an operator copies from somewhere: agents, cases of evaluations, and the JSON files that settings name. A
// hostile one ends in one sentence that names the file, after little work. It never hangs or ends the process.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadAgentSet } from '../../src/agents/definitions/load-folder.ts'
import { readCells } from '../../src/cells/read-cells.ts'
import { readCases } from '../../src/evals/cases/read-cases.ts'
import { replayModels } from '../../src/models/cassette/replay-models.ts'
import { readProviders } from '../../src/models/config/read-providers.ts'
import { readMcpConfig } from '../../src/tools/mcp/read-config.ts'
import { readPolicy } from '../../src/tools/policy/read-policy.ts'
import { testSchemas } from '../support/schemas.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-attack-'))
})
afterEach(() => rm(folder, { recursive: true }))

const list = (length: number, item: (n: number) => string) => Array.from({ length }, (_, n) => item(n))

/** What the operator reads, and the CPU time that it took, in seconds. */
async function refusalOf(read: () => unknown): Promise<{ message: string; name: string; seconds: number }> {
  const before = process.cpuUsage()
  const outcome = await (async () => read())().catch((error: unknown) => error)
  const { user, system } = process.cpuUsage(before)
  if (!(outcome instanceof Error)) throw new Error(`accepted: ${JSON.stringify(outcome)?.slice(0, 300)}`)
  return { message: outcome.message, name: outcome.name, seconds: (user + system) / 1e6 }
}

/** Several times what the slowest of them takes, and a fraction of what a quadratic one would. */
const maxSeconds = 3

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...list(8, (n) => `${'bcdefghi'[n]}: &${'bcdefghi'[n]} [${list(9, () => `*${'abcdefgh'[n]}`).join(', ')}]`),
].join('\n')

/** YAML, and the words that say what is wrong with it. */
const yaml: readonly (readonly [name: string, text: string, problem: RegExp])[] = [
  ['aliases that multiply', bomb, /too many aliases/],
  ['an alias of itself', 'description: x\noutput_schema: &a\n  properties: { x: *a }', /refers to itself/],
  ['an alias of nothing', 'description: *nothing', /Unresolved alias/],
  ['brackets without end', `description: ${'['.repeat(20_000)}`, /nests more than 64 levels/],
  ['brackets', `description: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /nests more than 64 levels/],
  ['braces', `description: ${'{a: '.repeat(10_000)}`, /nests more than 64 levels/],
  // The library recurses until V8 compiles a regular expression without any stack left, and aborts the process.
  ['explicit keys', '? '.repeat(1_000), /a key must be a plain text|nests more/],
  ['lists in lists', '- '.repeat(20_000), /nests more than 64 levels/],
  ['indentation', list(300, (n) => `${' '.repeat(n)}a:`).join('\n'), /nests more than 64 levels/],
  ['one key twice', 'description: x\ndescription: y', /"description" is used twice/],
  ['one key twice, deep down', 'description: x\noutput_schema: { type: object, type: array }', /"type" is used twice/],
  ['a merge', 'description: x\noutput_schema:\n  <<: { type: object }', /merge keys \(<<\) are not supported/],
  ['a tag', 'description: !!js/function "x"', /tags such as !!js\/function are not supported/],
  ['bytes', 'description: !!binary aGVsbG8=', /tags such as !!binary are not supported/],
  ['a key that is an object', 'description: x\n? { a: 1 }\n: y', /a key must be a plain text/],
  ['a prototype', 'description: x\n__proto__: { judge: never }', /__proto__ is not an allowed key/],
  [
    'a prototype, deep down',
    'description: x\noutput_schema: { __proto__: { type: x } }',
    /__proto__ is not an allowed/,
  ],
  ['a zero character', 'description: "a\\0b"', /U\+0000/],
  ['half a character', 'description: "\\ud800"', /lone surrogate/],
  ['a number that is none', 'description: x\noutput_schema: { maximum: .inf }', /\.inf is not a number of JSON/],
]

describe('a YAML file', () => {
  const agent = (front: string, body = 'Count.') => `---\n${front}\n---\n${body}\n`
  const load = () =>
    loadAgentSet(
      { agentsDir: folder, skillsDir: undefined },
      { knownTools: { has: () => true }, schemas: testSchemas.requests },
    )

  test.each(yaml)('of an agent with %s is refused in one sentence', async (_name, front, problem) => {
    await writeFile(join(folder, 'a.md'), agent(front))
    const { message, name, seconds } = await refusalOf(load)
    expect(message).toMatch(problem)
    expect(message).toMatch(/^RUNWRIGHT_AGENTS_DIR: in \S+a\.md, the front matter [^\n]{10,200}\.$/)
    expect(name).toBe('SettingsError')
    expect(seconds).toBeLessThan(maxSeconds)
  })

  test.each(yaml)('of evaluation cases with %s is refused in one sentence', async (_name, text, problem) => {
    const path = join(folder, 'cases.yaml')
    await writeFile(path, text)
    const { message, name, seconds } = await refusalOf(() => readCases([path], testSchemas.requests))
    expect(message).toMatch(problem)
    expect(message.slice(path.length)).toMatch(/^:\d+: [^\n]{10,200}\.$/)
    expect(name).toBe('EvaluationError')
    expect(seconds).toBeLessThan(maxSeconds)
  })

  test.each([
    ['a key on each line', list(10_000, (n) => `${n}:`).join('\n'), /not a known field/],
    ['anchors', `output_schema: [${list(5_000, (n) => `&a${n} 1`).join(', ')}]`, /output_schema|description/],
    ['empty lines', '\n'.repeat(60_000), /description is required/],
    ['lines like the last one', '--- x\n'.repeat(10_000), /./],
  ])('that is as large as it may be, with %s, is read in time', async (_name, front, problem) => {
    await writeFile(join(folder, 'a.md'), agent(front))
    const { message, seconds } = await refusalOf(load)
    expect(message).toMatch(problem)
    expect(seconds).toBeLessThan(maxSeconds)
  })

  test('has at most 64 KiB of front matter and 1 MiB in all', async () => {
    await writeFile(join(folder, 'a.md'), agent(`description: x\n#${'x'.repeat(65_536)}`))
    expect((await refusalOf(load)).message).toMatch(/a\.md, the front matter has more than 65,536 characters\.$/)
    await writeFile(join(folder, 'a.md'), agent('description: x', 'y'.repeat(1_048_576)))
    expect((await refusalOf(load)).message).toMatch(/a\.md, the file has more than 1,048,576 bytes\.$/)
    await writeFile(join(folder, 'a.md'), agent('description: x', 'y'.repeat(1_000_000)))
    expect((await load()).agents[0]?.instructions).toHaveLength(1_000_000)
  })

  test('without an end of its front matter is refused', async () => {
    await writeFile(join(folder, 'a.md'), `---\n${'a: 1\n'.repeat(10_000)}`)
    expect((await refusalOf(load)).message).toMatch(/the front matter has no end/)
  })

  test('with aliases, a date and other languages is read as written', async () => {
    const front = 'description: 日本語 2026-01-01 ⚠️\noutput_schema: { properties: { a: &a { type: string }, b: *a } }'
    await writeFile(join(folder, 'a.md'), agent(front))
    expect((await load()).agents).toMatchObject([
      {
        description: '日本語 2026-01-01 ⚠️',
        outputSchema: { properties: { a: { type: 'string' }, b: { type: 'string' } } },
      },
    ])
  })
})

type ReadPath = (path: string) => unknown

const jsonFiles: readonly (readonly [setting: string, read: ReadPath, holder: string])[] = [
  ['RUNWRIGHT_PROVIDERS', readProviders, 'providers'],
  ['RUNWRIGHT_MCP_CONFIG', (path) => readMcpConfig(path, {}), 'mcpServers'],
  ['RUNWRIGHT_CELLS', readCells, 'cells'],
  ['RUNWRIGHT_TOOL_POLICY', readPolicy, 'tools'],
]

describe.each(jsonFiles)('the JSON file of %s', (setting, read, holder) => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['brackets without end', '['.repeat(500_000), /nests too deeply: at most 64 levels are allowed/],
    ['brackets', `{"${holder}":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`, /nests too deeply/],
    // With the usual parser, the first rule is gone without a word.
    ['one key twice', `{"${holder}":{"pay":"deny","pay":"allow"}}`, /pay is a duplicate key/],
    ['a prototype', `{"${holder}":{"__proto__":{"pay":"deny"}}}`, /__proto__ is not an allowed key/],
    ['a zero character', `{"${holder}":{"a":"\\u0000"}}`, /U\+0000/],
    ['bytes that are not UTF-8', Buffer.from(`{"${holder}":{"\xff":1}}`, 'latin1'), /is not UTF-8/],
    ['a secret in broken JSON', `{"${holder}": sk-canary`, /is not valid JSON/],
    ['2 MB', `{"${holder}":{}}${' '.repeat(2_000_000)}`, /has more than 1,048,576 bytes/],
  ])('with %s is refused in one sentence', async (_name, text, problem) => {
    const path = join(folder, 'file.json')
    await writeFile(path, text)
    const { message, name, seconds } = await refusalOf(() => read(path))
    expect(message).toMatch(problem)
    expect(message).toMatch(/^[^\n]{10,400}\.$/)
    expect(message.startsWith(`${setting}: `)).toBe(true)
    expect(message).not.toContain('canary')
    expect(name).toBe('SettingsError')
    expect(seconds).toBeLessThan(maxSeconds)
  })
})

describe('what is no file', () => {
  const inFolder: readonly (readonly [name: string, file: string, read: ReadPath])[] = [
    [
      'an agent',
      'a.md',
      () =>
        loadAgentSet(
          { agentsDir: folder, skillsDir: undefined },
          { knownTools: { has: () => true }, schemas: testSchemas.requests },
        ),
    ],
    ['a cassette', 'a.ndjson', () => replayModels(folder).open('openai/gpt-5')],
  ]
  const named: typeof inFolder = [
    ['cases', 'cases.yaml', (path) => readCases([path], testSchemas.requests)],
    ...jsonFiles.map(([setting, read]) => [setting, 'file.json', read] as const),
  ]

  // To open a pipe without a writer would wait forever. The operator may name one, but it must not be planted.
  test.each(inFolder)('a pipe in the place of %s is refused', async (_name, file, read) => {
    const path = join(folder, file)
    execFileSync('mkfifo', [path])
    expect((await refusalOf(() => read(path))).message).toMatch(/is not a (?:regular file|cassette)/)
  })

  test.each([...inFolder, ...named])(
    'a device without end in the place of %s is refused',
    async (_name, file, read) => {
      const path = join(folder, file)
      await symlink('/dev/zero', path)
      expect((await refusalOf(() => read(path))).message).toMatch(
        /regular file|link|cassette|more than 1,048,576 bytes/,
      )
    },
  )
})
