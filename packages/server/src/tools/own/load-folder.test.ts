import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testSchemas } from '../../../test/support/schemas.ts'
import { loadToolsFolder } from './load-folder.ts'

const schemas = testSchemas.runs

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runwright-tools-'))
})
afterEach(() => rm(folder, { recursive: true }))

const tool = (name: string, more = '') =>
  `{ name: '${name}', description: 'Does it', input: { type: 'object' }, effect: 'read', run: () => 1, ${more} }`

/** Loads a folder with these files. */
async function load(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return (await loadToolsFolder(folder, schemas)).map(({ name }) => name)
}

const refusal = (files: Readonly<Record<string, string>>): Promise<string> =>
  load(files).then(
    (names) => `no refusal: ${names}`,
    (error: Error) => {
      expect(error.name).toBe('SettingsError')
      return error.message.replace(folder, 'FOLDER')
    },
  )

describe('loads', () => {
  test('nothing without a folder, and nothing from an empty one', async () => {
    expect(await loadToolsFolder(undefined, schemas)).toEqual([])
    expect(await load({})).toEqual([])
  })

  test('tools and arrays of tools, in the order of the file names', async () => {
    expect(
      await load({
        'b.mjs': `export default [${tool('z')}, ${tool('a')}]`,
        'a.mjs': `export default ${tool('m')}`,
        'c.js': `export default ${tool('c')}`,
      }),
    ).toEqual(['m', 'z', 'a', 'c'])
  })

  test('a link to a file of the same folder, as in a volume of Kubernetes', async () => {
    await mkdir(join(folder, '..2026_11'))
    await writeFile(join(folder, '..2026_11', 'a.mjs'), `export default ${tool('m')}`)
    await symlink('..2026_11', join(folder, '..data'))
    await symlink(join('..data', 'a.mjs'), join(folder, 'a.mjs'))
    expect(await load({})).toEqual(['m'])
  })

  test('no other files', async () => {
    expect(await load({ 'README.md': '#', '.hidden.mjs': 'throw 1', 'notes.json': '{', 'a.ts': 'type' })).toEqual([])
  })
})

describe('stops the start with one sentence', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['a syntax error', { 'a.mjs': 'export default {' }, 'a.mjs, the module does not load: '],
    ['an error at load', { 'a.mjs': 'throw new Error("no key.\\nmore")' }, 'a.mjs, the module does not load: no key.'],
    ['no default export', { 'a.mjs': 'export const a = 1' }, 'a.mjs, the default export is missing: export a tool or'],
    ['no tool', { 'a.mjs': 'export default 5' }, 'a.mjs, default must be an object.'],
    ['a missing field', { 'a.mjs': 'export default { name: "a" }' }, 'a.mjs, default.description is required.'],
    [
      'an unknown field',
      { 'a.mjs': `export default ${tool('a', 'timeout: 5')}` },
      'default.timeout is not a known field.',
    ],
    ['a bad effect', { 'a.mjs': `export default ${tool('a', "effect: 'write'")}` }, 'default.effect must be "read", '],
    [
      'a bad policy',
      { 'a.mjs': `export default ${tool('a', "policy: 'no'")}` },
      'default.policy must be one of "allow"',
    ],
    [
      'a bad exposure',
      { 'a.mjs': `export default ${tool('a', 'exposure: { all: true }')}` },
      'default.exposure must be a function or an object with',
    ],
    [
      'a bad time',
      { 'a.mjs': `export default ${tool('a', 'timeoutSeconds: 0')}` },
      'timeoutSeconds must be more than 0.',
    ],
    [
      'a run that is none',
      { 'a.mjs': `export default [${tool('a', 'run: 1')}]` },
      'default[0].run must be a function.',
    ],
    ['a dot in the name', { 'a.mjs': `export default ${tool('a.b')}` }, 'default.name must match'],
    [
      'the name of a tool of runs',
      { 'a.mjs': `export default ${tool('call_tool')}` },
      'a.mjs, the name "call_tool" belongs to a built-in tool; choose another one.',
    ],
    [
      'a built-in name',
      { 'a.mjs': `export default ${tool('wait')}` },
      'a.mjs, the name "wait" belongs to a built-in tool; choose another one.',
    ],
    ['a name of a built-in to come', { 'a.mjs': `export default ${tool('http_fetch')}` }, '"http_fetch" belongs to'],
    [
      'a name twice',
      { 'a.mjs': `export default ${tool('x')}`, 'b.mjs': `export default ${tool('x')}` },
      'b.mjs, the name "x" is already used in a.mjs; choose another one.',
    ],
    [
      'a mistyped schema',
      { 'a.mjs': `export default ${tool('a', "input: { type: 'object', propertys: {} }")}` },
      'a.mjs, the input schema of "a" is invalid: strict mode: unknown keyword: "propertys".',
    ],
    [
      'a schema of no object',
      { 'a.mjs': `export default ${tool('a', "input: { type: 'string' }")}` },
      'the input schema of "a" is invalid: its type must be "object".',
    ],
    [
      'a schema that is none',
      { 'a.mjs': `export default ${tool('a', 'input: []')}` },
      'must be a JSON Schema or a zod',
    ],
  ]

  test.each(cases)('%s', async (_, files, sentence) => {
    const message = await refusal(files)
    expect(message).toContain(sentence)
    expect(message).toMatch(/^RUNWRIGHT_TOOLS_DIR: in FOLDER\/[ab]\.mjs, [^\n]+\.$/)
  })

  test('a link out of the folder', async () => {
    const outside = `${folder}-outside.mjs`
    await writeFile(outside, `export default ${tool('a')}`)
    await symlink(outside, join(folder, 'a.mjs'))
    expect(await refusal({})).toBe(
      'RUNWRIGHT_TOOLS_DIR: in FOLDER/a.mjs, the file is a link that leads out of the folder; copy the file into it.',
    )
    await rm(outside)
  })

  test('a folder that does not exist, and a path that is not a folder', async () => {
    await expect(loadToolsFolder(join(folder, 'none'), schemas)).rejects.toThrow(
      /^RUNWRIGHT_TOOLS_DIR: .*none does not exist\.$/,
    )
    await writeFile(join(folder, 'file'), '')
    await expect(loadToolsFolder(join(folder, 'file'), schemas)).rejects.toThrow(
      /file is not a readable folder: ENOTDIR\.$/,
    )
  })
})
