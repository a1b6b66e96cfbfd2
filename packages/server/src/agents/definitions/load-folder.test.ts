import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { loadAgentSet } from './load-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-agents-'))
})
afterEach(() => rm(folder, { recursive: true }))

const schemas = testSchemas.requests
const knownTools = { has: (name: string) => name === 'calculator' || name.startsWith('tracker.') }
const write = (name: string, text: string | Uint8Array) => writeFile(join(folder, name), text)
const load = (openModels?: (list: string) => Promise<unknown>) =>
  loadAgentSet({ agentsDir: folder, skillsDir: undefined }, { knownTools, schemas, openModels })
const agent = (...fields: string[]) => ['---', 'description: Counts.', ...fields, '---', 'Count well.', ''].join('\n')

describe('a file', () => {
  test('with every field', async () => {
    await write(
      'any.md',
      agent(
        'name: counter',
        'model: openai/gpt-5, anthropic/claude',
        'tools:\n  - calculator\n  - tracker.find # of an MCP server\n  - calculator',
        'output_schema:\n  type: object\n  required: [total]',
        'max_turns: 7',
        'temperature: 0.2',
        'reasoning_effort: low',
        'judge: end',
      ),
    )
    const { agents } = await load()
    expect(agents).toEqual([
      {
        name: 'counter',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        description: 'Counts.',
        instructions: 'Count well.',
        model: 'openai/gpt-5, anthropic/claude',
        tools: ['calculator', 'tracker.find'],
        outputSchema: { type: 'object', required: ['total'] },
        maxTurns: 7,
        parameters: { temperature: 0.2, reasoningEffort: 'low' },
        judge: 'end',
      },
    ])
  })

  test('may have a rubric, whose text is its criteria', async () => {
    await write('words.md', agent('rubric: Be brief.'))
    await write('scores.md', agent('rubric: {scores: {properties: {good: {type: boolean}}}, max_revisions: 0}'))
    expect((await load()).agents.map(({ rubric }) => rubric)).toEqual([
      { scores: { properties: { good: { type: 'boolean' } } }, max_revisions: 0 },
      { criteria: 'Be brief.' },
    ])
  })

  test('with a description only is named after the file, and has the defaults of the service', async () => {
    await write('bean-counter_2.md', agent())
    expect((await load()).agents[0]).toMatchObject({
      name: 'bean-counter_2',
      model: undefined,
      tools: undefined,
      outputSchema: undefined,
      maxTurns: undefined,
      parameters: undefined,
      judge: undefined,
    })
  })

  test('may end its lines with CR LF, and have a line with --- in its instructions', async () => {
    await write('a.md', '---\r\ndescription: Counts.\r\n---\r\nOne.\r\n---\r\nTwo.\r\n')
    expect((await load()).agents[0]?.instructions).toBe('One.\r\n---\r\nTwo.')
  })
})

test('files that are no Markdown, and hidden ones, are not read', async () => {
  await write('a.md', agent())
  await write('b.txt', 'x')
  await write('.c.md', 'x')
  expect((await load()).names).toEqual(['a'])
})

describe('the service does not start with', () => {
  const long = `${'x'.repeat(64)}y`
  test.each<[string, string | Uint8Array, string]>([
    ['a.md', 'Count well.', 'the front matter is missing: the first line must be ---'],
    ['a.md', '---\ndescription: x\n', 'the front matter has no end: add a line with ---'],
    ['a.md', '---\ndescription: [\n---\nx', 'the front matter is not valid: in line '],
    ['a.md', '---\n- x\n---\nx', 'the front matter must be a list of fields'],
    [
      'a.md',
      agent('description: again'),
      'the front matter is not valid: in line 3, the key "description" is used twice',
    ],
    ['a.md', '---\n---\nx', 'description is required'],
    ['a.md', '---\ndescription: x\n---\n \n', 'the instructions are missing: write them below the front matter'],
    ['a.md', agent('tool: calculator'), '"tool" is not a known field: did you mean tools?'],
    ['a.md', agent('instructions: x'), '"instructions" is not a known field: the fields are name, description, model,'],
    ['a.md', agent('name: Counter'), 'name must match /^[a-z][a-z0-9_-]{0,63}$/'],
    [`${long}.md`, agent(), 'name must match'],
    ['README.md', agent(), 'name must match'],
    ['a.md', agent('model: gpt-5'), 'model must be sandbox or provider/model'],
    ['a.md', agent('tools: calculator'), 'tools must be an array'],
    ['a.md', agent('tools: [calculater]'), 'tools names an unknown tool: "calculater"'],
    ['a.md', agent('rubric: {max_revisions: 1}'), 'rubric must have exactly one of criteria, scores'],
    ['a.md', agent('rubric: {criteria: x, include_grade: true}'), 'rubric.include_grade is not a known field'],
    ['a.md', agent('output_schema: {type: nonsense}'), 'output_schema cannot be used: schema is invalid'],
    [
      'a.md',
      agent('output_schema: {items: {pattern: "("}}'),
      'output_schema.items.pattern is not a regular expression',
    ],
    ['a.md', agent('output_schema: {pattern: "(a{500}){500}"}'), 'output_schema.pattern is too large'],
    ['a.md', agent('max_turns: 0'), 'max_turns must be at least 1'],
    ['a.md', agent('temperature: hot'), 'temperature must be a number'],
    ['a.md', agent('reasoning_effort: 3'), 'reasoning_effort must be a string'],
    ['a.md', agent('judge: sometimes'), 'judge must be one of "each_step", "end", "never"'],
    ['a.md', new Uint8Array([0xff, 0xfe]), 'the file is not UTF-8'],
  ])('%s: %j', async (name, text, problem) => {
    await write(name, text)
    const refused = load()
    await expect(refused).rejects.toBeInstanceOf(SettingsError)
    await expect(refused).rejects.toThrow(`RUNWRIGHT_AGENTS_DIR: in ${join(folder, name)}, ${problem}`)
    await expect(refused).rejects.toThrow(/[.?]$/)
  })

  test('two agents of one name', async () => {
    await write('a.md', agent('name: b'))
    await write('b.md', agent())
    await expect(load()).rejects.toThrow(`in ${join(folder, 'b.md')}, the name "b" is already used in a.md.`)
  })

  test('a model that cannot be opened', async () => {
    await write('a.md', agent('model: openai/gpt-5'))
    const asked: string[] = []
    const refused = load(async (list) => {
      asked.push(list)
      throw new SettingsError('OPENAI_API_KEY is not set.')
    })
    await expect(refused).rejects.toThrow(`a.md, model cannot be used: OPENAI_API_KEY is not set.`)
    expect(asked).toEqual(['openai/gpt-5'])
  })

  test('a file that cannot be read', async () => {
    await mkdir(join(folder, 'a.md'))
    await expect(load()).rejects.toThrow('a.md, the file is not a regular file.')
  })

  test('a folder that does not exist', async () => {
    const gone = loadAgentSet({ agentsDir: join(folder, 'gone'), skillsDir: undefined }, { knownTools, schemas })
    await expect(gone).rejects.toThrow(`RUNWRIGHT_AGENTS_DIR: ${join(folder, 'gone')} does not exist.`)
  })
})

describe('the hash', () => {
  const hashes = async (text: string) => {
    await write('a.md', text)
    const { hash, agents } = await load()
    return [hash, agents[0]?.hash]
  }

  test('stays the same when only the form of the file changes', async () => {
    const [set, own] = await hashes(agent('max_turns: 7', 'judge: end'))
    const reordered = '---\njudge: "end"\nmax_turns: 7\ndescription: Counts. # again\n---\n\nCount well.\n\n'
    expect(await hashes(reordered)).toEqual([set, own])
    expect(set).not.toBe(own)
  })

  test('changes with a field and with the instructions; other agents keep theirs', async () => {
    await write('b.md', agent())
    const [set, own] = await hashes(agent('max_turns: 7'))
    const other = (await load()).find('b')?.hash
    for (const text of [agent('max_turns: 8'), agent('max_turns: 7').replace('well', 'badly')]) {
      const [newSet, newOwn] = await hashes(text)
      expect(newSet).not.toBe(set)
      expect(newOwn).not.toBe(own)
      expect((await load()).find('b')?.hash).toBe(other)
    }
  })
})
