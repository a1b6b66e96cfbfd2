// A reader of one page of the docs: runs its commands, writes its files, and compares what is printed with what the
// page shows. CONTRIBUTING.md describes the words after a fence.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { expectedOutput, plainOutput } from '../guides/expected-output.ts'
import type { Fence } from '../guides/guide-blocks.ts'
import type { ReaderOptions } from '../guides/reader.ts'
import { type Environment, ReaderProcess } from '../guides/reader-process.ts'
import { fieldsOf } from './fields-of.ts'

interface PageReaderOptions extends ReaderOptions {
  /** What `run_…` stands for until the page creates a run itself. */
  readonly runId: string
  /** What the service has logged. */
  readonly log: () => string
}

export class PageReader {
  readonly folder: string
  readonly #replacements: ReadonlyMap<string, string>
  /** What `run_…` and `key_…` stand for: the last ids that a command has printed. `$RUN` is the same run. */
  readonly #ids = new Map<string, string>()
  readonly #log: () => string
  #env: Environment
  #background: ReaderProcess | undefined
  #printed: string | undefined

  constructor({ folder, env, replacements, runId, log }: PageReaderOptions) {
    this.folder = folder
    this.#env = { ...env, PWD: folder }
    this.#replacements = replacements
    this.#ids.set('run_…', runId)
    this.#log = log
  }

  /** Whether the block before has printed something that the next one can show. */
  get hasPrinted(): boolean {
    return this.#printed !== undefined
  }

  forgetPrinted(): void {
    this.#printed = undefined
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, this.#fill(text))
  }

  async run({ text, words }: Fence): Promise<void> {
    const command = this.#spawn('command', text)
    const exitCode = await command.ends()
    await command.stop()
    expect(exitCode, command.output).toBe(Number(words.get('exit') ?? 0))
    this.#printed = plainOutput(command.output)
    this.#env = readVariables(this.#stateFile)
    this.#remember(this.#printed)
  }

  #remember(printed: string): void {
    for (const [id, prefix] of printed.matchAll(/\b(run|key)_[0-9a-z]{26}\b/g)) this.#ids.set(`${prefix}_…`, id)
    this.#env = { ...this.#env, RUN: this.#ids.get('run_…') ?? '' }
  }

  /** Runs it beside the blocks that follow. */
  start({ text }: Fence): void {
    this.#background = this.#spawn('service', text)
  }

  async expectFromBackground({ text }: Fence): Promise<void> {
    const pattern = new RegExp(outputPattern(text).source)
    await this.#background?.prints((output) => pattern.test(output))
    expect(this.#background?.output).toMatch(pattern)
  }

  expectText({ text }: Fence): void {
    expect(this.#printed).toMatch(outputPattern(text))
  }

  /** Of JSON, only names and types of fields are compared: the values are of another run and another time. */
  expectFields(shown: unknown): void {
    expectSameFields(JSON.parse(this.#printed ?? ''), shown)
  }

  /** Compares it with a request that had a key. */
  expectLogFields(shown: unknown): void {
    const line = /^\{.*"customer_id":.*"msg":"request".*$/m.exec(this.#log())?.[0] ?? ''
    expectSameFields(JSON.parse(line), shown)
  }

  /** The page may leave out rows. */
  expectRows(path: string, { text }: Fence): void {
    const rows = plainOutput(readFileSync(join(this.folder, path), 'utf8'))
      .trimEnd()
      .split('\n')
    for (const shown of text.trimEnd().split('\n')) {
      const pattern = outputPattern(shown).source
      expect(
        rows.filter((row) => new RegExp(`^${pattern}`).test(row)),
        shown,
      ).not.toEqual([])
    }
  }

  async close(): Promise<void> {
    await this.#background?.stop()
  }

  get #stateFile(): string {
    return join(this.folder, '.state')
  }

  #spawn(kind: 'command' | 'service', text: string): ReaderProcess {
    const { PWD: cwd = this.folder } = this.#env
    return new ReaderProcess({ kind, script: this.#fill(text), env: this.#env, cwd }, this.#stateFile)
  }

  #fill(text: string): string {
    return [...this.#replacements, ...this.#ids].reduce((filled, [said, real]) => filled.replaceAll(said, real), text)
  }
}

const expectSameFields = (real: unknown, shown: unknown): void =>
  expect(fieldsOf(real, shown)).toEqual(fieldsOf(shown, real))

/** Numbers, and with them the widths of columns, are different each time. */
/** The plural after a number may differ with it: `1 entry`. */
const outputPattern = (text: string): RegExp =>
  expectedOutput(text.replaceAll(/ *\d[\d.,]* *(?:entries\b)?/g, '…'), { isLast: true })

function readVariables(file: string): Environment {
  const pairs = readFileSync(file, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
