// The folders that settings name: a link that someone has put there must not choose what the service reads, and a named
// pipe must not stop it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadAgentSet } from '../../src/agents/definitions/load-folder.ts'
import { tapedJudge } from '../../src/evals/checks/verdict-tape.ts'
import { replayModels } from '../../src/models/cassette/replay-models.ts'
import { loadToolsFolder } from '../../src/tools/own/load-folder.ts'
import { testSchemas } from '../support/schemas.ts'

let root: string
let folder: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'runwright-folders-'))
  folder = join(root, 'named')
  mkdirSync(folder)
})
afterEach(() => rmSync(root, { recursive: true }))

const agentText = ['---', 'description: Reads.', '---', 'The secret-words.', ''].join('\n')
const toolText =
  'export default { name: "a", description: "A.", input: { type: "object" }, effect: "read", run: () => 1 }'
const cassetteText = '{"version":1,"fingerprint":"secret-words"}\n'

const loadAgents = () =>
  loadAgentSet(
    { agentsDir: folder, skillsDir: undefined },
    { knownTools: { has: () => true }, schemas: testSchemas.requests },
  )

const folders: readonly [string, string, string, () => Promise<unknown>][] = [
  ['agents', 'a.md', agentText, loadAgents],
  ['tools', 'a.mjs', toolText, () => loadToolsFolder(folder, testSchemas.runs)],
  ['cassettes', 'a.ndjson', cassetteText, () => replayModels(folder).open('openai/x')],
]

describe.each(folders)('the folder of %s', (_name, file, text, load) => {
  const targets: readonly [string, (outside: string) => void][] = [
    ['a file elsewhere', (outside) => symlinkSync(join(outside, file), join(folder, file))],
    ['a file elsewhere, with a relative path', () => symlinkSync(join('..', 'outside', file), join(folder, file))],
    [
      'a folder elsewhere, through a link inside',
      (outside) => {
        symlinkSync(outside, join(folder, '..data'))
        symlinkSync(join('..data', file), join(folder, file))
      },
    ],
    [
      'a folder whose name begins like that of the folder',
      () => {
        mkdirSync(`${folder}-other`)
        writeFileSync(join(`${folder}-other`, file), text)
        symlinkSync(join('..', 'named-other', file), join(folder, file))
      },
    ],
  ]
  test.each(targets)('refuses a link to %s', async (_target, plant) => {
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, file), text)
    plant(outside)
    const refused = await load().then(
      () => 'it was read',
      (error: Error) => error.message,
    )
    expect(refused).toContain(`${file}, the file is a link that leads out of the folder; copy the file into it.`)
    expect(refused).not.toContain('secret-words')
  })

  test('refuses a named pipe, and does not wait for a writer', async () => {
    execFileSync('mkfifo', [join(folder, file)])
    await expect(load()).rejects.toThrow(file)
  })
})

test.each(folders.slice(0, 2))('the folder of %s accepts links within it', async (_name, file, text, load) => {
  mkdirSync(join(folder, '..2026_11'))
  writeFileSync(join(folder, '..2026_11', file), text)
  symlinkSync('..2026_11', join(folder, '..data'))
  symlinkSync(join('..data', file), join(folder, file))
  await load()
  // The folder itself may be a link: the operator has named it.
  const named = folder
  symlinkSync(named, join(root, 'link'))
  folder = join(root, 'link')
  await load()
})

test('a recorded verdict elsewhere is not read', async () => {
  const judged = { model: { name: 'm' }, rubric: 'r', input: {}, content: 'c' } as never
  const judge = tapedJudge({ replayDir: folder })
  const name = /verdict-\w+\.json/.exec(String(await judge(judged)))?.[0] ?? ''
  writeFileSync(join(root, 'elsewhere.json'), '{"problem":null}')
  symlinkSync(join(root, 'elsewhere.json'), join(folder, name))
  expect(await judge(judged)).toContain('no verdict on this answer was recorded')
})
