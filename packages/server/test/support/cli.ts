// The command line in tests: as a real child process in pipes, or in this process on a terminal that the test plays.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { commandGroups } from '../../src/cli/command-table.ts'
import type { Io } from '../../src/cli/output/io.ts'
import { createProgram } from '../../src/cli/program.ts'
import { Occurrences } from './occurrences.ts'
import type { Service } from './service.ts'

const program = join(import.meta.dirname, '../../bin/runwright.mjs')

/** What a shell has that talks to the service. */
export const environmentOf = ({ url, key }: Pick<Service, 'url' | 'key'>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  RUNWRIGHT_URL: url,
  RUNWRIGHT_API_KEY: key,
})

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `runwright …` as another program starts it: no terminal. */
export class CliProcess {
  readonly #child: ChildProcess
  readonly #said = { stdout: new Occurrences<string>(), stderr: new Occurrences<string>() }
  readonly finished: Promise<Finished>

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, input = '') {
    this.#child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
    for (const stream of ['stdout', 'stderr'] as const)
      this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => this.#said[stream].add(text))
    this.#child.stdin?.end(input)
    this.finished = once(this.#child, 'close').then(([code]) => ({
      code,
      stdout: this.#said.stdout.all.join(''),
      stderr: this.#said.stderr.all.join(''),
    }))
  }

  /** Resolves with the match once stderr has it. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#said.stderr.until((all) => pattern.exec(all.join('')) ?? undefined)
  }

  /** As a power cut would: resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.finished
  }

  /** Resolves with the match once stdout has it. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#said.stdout.until((all) => pattern.exec(all.join('')) ?? undefined)
  }

  terminate(): void {
    this.#child.kill('SIGTERM')
  }

  interrupt(): void {
    this.#child.kill('SIGINT')
  }
}

export const cli = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<Finished> => new CliProcess(args, env, input).finished

/** A terminal at which the test sits. */
export class Terminal implements Io {
  readonly stdin = Object.assign(new PassThrough(), { isTTY: true })
  readonly env: Io['env']
  readonly shown = new Occurrences<string>()
  readonly printed: string[] = []
  readonly stdout: Io['stdout']
  readonly stderr: Io['stderr']

  constructor(env: Io['env'], { isTTY = true }: { readonly isTTY?: boolean } = {}) {
    this.env = { NO_COLOR: '1', ...env }
    this.stdin.isTTY = isTTY
    this.stdout = { isTTY, columns: 100, write: (text) => void this.printed.push(text) }
    // readline needs the methods of a stream.
    const screen = new PassThrough().setEncoding('utf8').on('data', (text: string) => this.shown.add(text))
    this.stderr = Object.assign(screen, { isTTY, columns: 100 })
  }

  get screen(): string {
    return this.shown.all.join('')
  }

  get output(): string {
    return this.printed.join('')
  }

  /** Resolves once the screen shows it, after what the screen showed at `from`. */
  async sees(text: string | RegExp, from = 0): Promise<void> {
    await this.shown.until((all) => {
      const rest = all.join('').slice(from)
      return typeof text === 'string' ? rest.includes(text) : text.test(rest)
    })
  }

  type(text: string): void {
    this.stdin.write(text)
  }

  /** Runs a command. Returns its exit code. */
  async run(...args: string[]): Promise<number> {
    const before = process.exitCode
    process.exitCode = 0
    try {
      await (await createProgram(this, commandGroups, (name) => name === args[0])).parseAsync(args, { from: 'user' })
      return Number(process.exitCode)
    } finally {
      process.exitCode = before
    }
  }
}

/**
 * Connections of this process that can be closed. After an aborted stream, fetch opens one that it does not use, and a
 * service that stops waits a minute for its first request.
 */
export function ownConnections(): { close(): Promise<void> } {
  const before = getGlobalDispatcher()
  const agent = new Agent()
  setGlobalDispatcher(agent)
  const close = async () => {
    setGlobalDispatcher(before)
    await agent.destroy()
  }
  return { close }
}
