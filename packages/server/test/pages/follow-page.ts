// Goes through the blocks of a page. A block for which there is no rule is a mistake.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { loadAgentSet } from '../../src/agents/definitions/load-folder.ts'
import { parseCaseFile } from '../../src/evals/cases/case-file.ts'
import { readFileCases } from '../../src/evals/cases/read-cases.ts'
import { loadToolsFolder } from '../../src/tools/own/load-folder.ts'
import type { Fence } from '../guides/guide-blocks.ts'
import { testSchemas } from '../support/schemas.ts'
import { compileExcerpt } from './compile-excerpt.ts'
import { jsonForms, knownTools, parseShown } from './json-forms.ts'
import type { PageReader } from './page-reader.ts'

type Rule = (block: Fence, reader: PageReader) => unknown

const words = ['setup', 'sample', 'service', 'exit', 'file', 'in', 'log', 'old', 'new']
const knownWords = new Set([...words, ...Object.keys(jsonForms)])

export async function followPage(reader: PageReader, blocks: readonly Fence[]): Promise<void> {
  for (const [index, block] of blocks.entries()) {
    if (!isRightAfter(blocks[index - 1], block)) reader.forgetPrinted()
    try {
      await follow(block, reader)
    } catch (error) {
      throw new Error(`line ${block.line}: ${(error as Error).message}`, { cause: error })
    }
  }
  await loadFiles(reader.folder)
}

/** With a sentence between them, a block does not show what the command before has printed. */
const isRightAfter = (before: Fence | undefined, { line }: Fence): boolean =>
  before !== undefined && line - before.line <= before.text.split('\n').length + 2

async function follow(block: Fence, reader: PageReader): Promise<void> {
  const unknown = [...block.words.keys()].filter((word) => !knownWords.has(word))
  if (unknown.length > 0) throw new Error(`unknown word after the fence: ${unknown.join(', ')}`)
  const path = block.words.get('file')
  const rule = rules[block.language]
  if (path !== undefined) reader.write(path, block.text)
  else if (rule) await rule(block, reader)
  else throw new Error(`no rule for the language "${block.language}"`)
  if (block.language !== 'sh') reader.forgetPrinted()
}

const AsyncFunction = (async () => {}).constructor as FunctionConstructor

const rules: Readonly<Record<string, Rule>> = {
  sh(block, reader) {
    reader.forgetPrinted()
    if (block.words.has('setup')) return undefined
    return block.words.has('service') ? reader.start(block) : reader.run(block)
  },
  /** Text that no command has printed is a picture or a message. */
  text(block, reader) {
    if (block.words.has('service')) return reader.expectFromBackground(block)
    return reader.hasPrinted && !block.words.has('sample') && reader.expectText(block)
  },
  csv: (block, reader) => reader.expectRows(block.words.get('in') ?? '', block),
  json(block, reader) {
    const value = parseShown(block.text)
    const form = [...block.words.keys()].map((word) => jsonForms[word])[0]
    if (form) form(value)
    else if (block.words.has('log')) reader.expectLogFields(value)
    else if (reader.hasPrinted) reader.expectFields(value)
    else throw new Error('a word after the fence must say what this JSON is')
  },
  yaml(block) {
    return block.words.has('setup')
      ? undefined
      : readFileCases(parseCaseFile('page.yaml', block.text), testSchemas.runs)
  },
  /** `faults/major-upgrade.test.ts` executes what is for one of two servers. */
  sql: ({ words }) => {
    if (!words.has('old') && !words.has('new')) throw new Error('nothing executes this SQL')
  },
  js: ({ text }) => new AsyncFunction(text),
  ts: ({ text }, { folder }) => compileExcerpt(folder, text),
}

/** As a start of the service with these folders does. */
async function loadFiles(folder: string): Promise<void> {
  const tools = join(folder, 'tools')
  if (existsSync(tools)) expect((await loadToolsFolder(tools, testSchemas.runs)).length).toBeGreaterThan(0)
  const agents = join(folder, 'agents')
  if (existsSync(agents))
    expect(
      (await loadAgentSet({ agentsDir: agents, skillsDir: undefined }, { knownTools, schemas: testSchemas.requests }))
        .names.length,
    ).toBeGreaterThan(0)
}
