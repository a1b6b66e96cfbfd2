// A reader of a guide: has a folder, a shell and a database, writes the files of the guide, runs its commands, and
// compares what they print with what the guide says.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { containsExpected, expectedOutput, plainOutput } from './expected-output.ts'
import type { GuideBlock } from './guide-blocks.ts'
import { type Environment, ReaderProcess } from './reader-process.ts'
import { replaceEach } from './replace-each.ts'

type Of<Kind extends GuideBlock['kind']> = Extract<GuideBlock, { kind: Kind }>

export interface ReaderOptions {
  readonly folder: string
  readonly env: Environment
  /** What the guide says, and what it is in this test: ports and the database. */
  readonly replacements: ReadonlyMap<string, string>
}

// NO_COLOR also hides the spinner.
const terminalEnv = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'terminal.mjs')}`, NO_COLOR: '1' }

export class Reader {
  readonly #folder: string
  readonly #replacements: ReadonlyMap<string, string>
  readonly #services = new Map<string, ReaderProcess>()
  #env: Environment

  constructor({ folder, env, replacements }: ReaderOptions) {
    this.#folder = folder
    this.#env = { ...env, PWD: folder }
    this.#replacements = replacements
  }

  async follow(blocks: readonly GuideBlock[]): Promise<void> {
    for (const [index, block] of blocks.entries()) {
      const outputs = outputsAfter(blocks, index)
      if (block.kind === 'file') this.#write(block)
      if (block.kind === 'shown') this.#install(block)
      if (block.kind === 'service') await this.#start(block, outputs)
      if (block.kind === 'command') await this.#run(block, outputs)
    }
  }

  /** Ends what the reader has started. */
  async close(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => service.stop()))
  }

  #write({ path, text }: Of<'file'>): void {
    const file = join(this.#env.PWD ?? this.#folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, this.#toTest(text))
  }

  /** A package of the registry, which tests do not ask, is that of the checkout. */
  #install({ text }: Of<'shown'>): void {
    const [, name] = /^npm install (\w+)$/m.exec(text) ?? []
    if (name === undefined) return
    const here = join(this.#env.PWD ?? this.#folder, 'node_modules')
    symlinkSync(join(this.#folder, 'runwright/node_modules', name), join(here, name))
  }

  /** A service of the same name is the one that the reader has stopped with Ctrl-C. */
  async #start({ name, text, line }: Of<'service'>, [expected, ...more]: readonly Of<'output'>[]): Promise<void> {
    if (!expected || more.length > 0) throw new Error(`line ${line}: one block must say what the service prints`)
    await this.#services.get(name)?.stop()
    const service = this.#spawn('service', text, join(this.#folder, `.state-${name || 'service'}`))
    this.#services.set(name, service)
    const isReady = await service.prints((output) => containsExpected(this.#toGuide(output), expected.text))
    if (!isReady) throw this.#difference(expected, service)
  }

  async #run(block: Of<'command'>, outputs: readonly Of<'output'>[]): Promise<void> {
    const stateFile = join(this.#folder, '.state')
    const command = this.#spawn('command', block.text, stateFile, block.onTerminal ? terminalEnv : {})
    try {
      await this.#compare(command, outputs)
      const exitCode = await command.ends()
      if (exitCode !== block.exitCode)
        throw new Error(`line ${block.line}: exit code ${exitCode}, not ${block.exitCode}:\n${command.output}`)
    } finally {
      await command.stop('SIGKILL')
    }
    this.#env = readState(stateFile)
    rmSync(stateFile)
  }

  async #compare(command: ReaderProcess, outputs: readonly Of<'output'>[]): Promise<void> {
    let from = 0
    for (const expected of outputs) {
      const { answer, text } = expected
      if (answer !== undefined) {
        const question = { ...expected, text: withoutAnswer(text, answer) }
        await this.#match(command, question, { from, isLast: false })
        command.type(`${answer}\n`)
      }
      const isLast = expected === outputs.at(-1)
      if (isLast) await command.ends()
      from = await this.#match(command, expected, { from, isLast })
    }
  }

  /** Returns where the match ends. */
  async #match(
    command: ReaderProcess,
    expected: Of<'output'>,
    { from, isLast }: { readonly from: number; readonly isLast: boolean },
  ): Promise<number> {
    const pattern = expectedOutput(expected.text, { isLast })
    const matches = (output: string): boolean => {
      pattern.lastIndex = from
      return pattern.test(this.#toGuide(output))
    }
    if (!(await command.prints(matches))) throw this.#difference(expected, command)
    return pattern.lastIndex
  }

  #spawn(kind: 'command' | 'service', text: string, stateFile: string, more: Environment = {}): ReaderProcess {
    const { PWD: cwd = this.#folder } = this.#env
    return new ReaderProcess({ kind, script: this.#toTest(text), env: { ...this.#env, ...more }, cwd }, stateFile)
  }

  #printedBy({ output }: ReaderProcess): string {
    return this.#toGuide(output)
  }

  #difference({ line, text }: GuideBlock, process: ReaderProcess): Error {
    const printed = this.#printedBy(process)
    return new Error(`line ${line}: the guide says\n${indent(text)}\nbut the command printed\n${indent(printed)}`)
  }

  #toTest(text: string): string {
    return replaceEach(text, this.#replacements)
  }

  #toGuide(output: string): string {
    const backwards = [...this.#replacements].map(([said, real]) => [real, said] as const)
    return replaceEach(plainOutput(output), backwards)
  }
}

function outputsAfter(blocks: readonly GuideBlock[], index: number): Of<'output'>[] {
  const rest = blocks.slice(index + 1)
  const end = rest.findIndex(({ kind }) => kind !== 'output')
  return rest.slice(0, end === -1 ? undefined : end) as Of<'output'>[]
}

/** The guide shows the answer behind the question. */
function withoutAnswer(text: string, answer: string): string {
  if (!text.trimEnd().endsWith(answer)) throw new Error(`the block must end with the answer "${answer}"`)
  return text.trimEnd().slice(0, -answer.length)
}

function readState(file: string): Environment {
  const pairs = readFileSync(file, 'utf8').split('\0').filter(Boolean)
  const entries = pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  const { NODE_OPTIONS: _, NO_COLOR: __, ...rest } = Object.fromEntries(entries)
  return rest
}

const indent = (text: string): string => text.trimEnd().replace(/^/gm, '    ')
