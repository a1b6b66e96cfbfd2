// Speaks MCP with a program over its standard input and output. Of our own, because the SDK's starts the program in our process
// group: Ctrl-C would end it while runs still come to their end, and what the program started would be left behind.
//
// The program ends in one of two ways: by itself (`exit`, then what it had written is read, then `onclose`), or by `close`:
// its input ends, a while later SIGTERM to its group, and SIGKILL to whoever is left.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { sleep } from '../../runtime/backoff.ts'
import type { StdioReach } from './config.ts'
import { takeLines } from './take-lines.ts'

export interface StdioTransportOptions {
  readonly reach: StdioReach
  /** Gets what the program writes to its standard error, line by line. */
  readonly hear: (line: string) => void
}

// How long a program may take once its input has ended, and once it got SIGTERM.
const inputGraceMs = 1_000
const termGraceMs = 2_000
// What a program has written is read after it has ended, but not for ever: someone else may hold the pipe.
const lastWordsMs = 500
// Windows has no process groups to signal.
const hasGroups = process.platform !== 'win32'

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly #options: StdioTransportOptions
  readonly #buffer = new ReadBuffer()
  readonly #ended = new AbortController()
  #child: ChildProcessWithoutNullStreams | undefined
  #closing: Promise<void> | undefined
  #ending: string | undefined

  constructor(options: StdioTransportOptions) {
    this.#options = options
  }

  // By these two the SDK tells a program from a server elsewhere.
  get pid(): number | undefined {
    return this.#child?.pid
  }

  get stderr(): Readable | undefined {
    return this.#child?.stderr
  }

  /** How the program ended, once it has. */
  get ending(): string | undefined {
    return this.#ending
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options.reach
    const child = spawn(command, args, { env, cwd, stdio: 'pipe', detached: hasGroups, windowsHide: true })
    child.stdin.on('error', (error) => this.onerror?.(error))
    await once(child, 'spawn')
    this.#child = child
    child.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    takeLines(child.stderr, this.#options.hear)
    child.once('exit', (code, signal) => this.#hearExit(child, signal ?? `exit code ${code}`))
    child.once('close', () => {
      this.#ended.abort()
      this.onclose?.()
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new Error('The program takes no more input.')
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch (error) {
      this.onerror?.(error as Error)
      void this.close()
      return
    }
    while (this.#readMessage()) {}
  }

  /** Whether there may be another. */
  #readMessage(): boolean {
    try {
      const message = this.#buffer.readMessage()
      if (message !== null) this.onmessage?.(message)
      return message !== null
    } catch (error) {
      this.onerror?.(error as Error)
      return true
    }
  }

  #hearExit(child: ChildProcessWithoutNullStreams, how: string): void {
    this.#ending = `its program ended: ${how}`
    signal(child, 'SIGKILL')
    void sleep(lastWordsMs, this.#ended.signal).then(() => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    })
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child === undefined || this.#ended.signal.aborted) return
    child.stdin.end()
    if (await this.#endsWithin(inputGraceMs)) return
    signal(child, 'SIGTERM')
    if (await this.#endsWithin(termGraceMs)) return
    signal(child, 'SIGKILL')
    await this.#endsWithin(Number.POSITIVE_INFINITY)
  }

  async #endsWithin(ms: number): Promise<boolean> {
    await sleep(ms, this.#ended.signal)
    return this.#ended.signal.aborted
  }
}

/** To the program and all that it has started. */
function signal({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, name)
  } catch {
    // Nobody is left, or only those whom we may not signal.
  }
}
