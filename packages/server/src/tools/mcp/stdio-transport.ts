// An MCP transport to a program, over its standard input and output. The SDK's own transport starts the program in the
// service's process group: Ctrl-C would end it while runs are still finishing, and its child processes would be left
// behind.
//
// The program can exit by itself: then its remaining output is read, and `onclose` is called. Or `close` ends it: its
// input ends, its process group gets SIGTERM a while later, and then SIGKILL.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { sleep } from '../../runtime/backoff.ts'
import { TimeSlice } from '../../runtime/time-slices.ts'
import { lookBeforeWrites } from '../port/look-before-writes.ts'
import type { StdioEndpoint } from './config.ts'
import { LineBuffer } from './line-buffer.ts'
import { readLines } from './read-lines.ts'
import { lookFor } from './send-look.ts'

/** What is told about a program. */
export interface ProgramReports {
  /** Gets each line that the program writes to its standard error. */
  readonly onStderrLine: (line: string) => void
  /** A call may have reached the program after its run had another worker. */
  readonly onSentLate: () => void
}

interface StdioTransportOptions extends ProgramReports {
  readonly endpoint: StdioEndpoint
}

// How long a program may take to exit after its input ends, and after SIGTERM.
const inputGraceMs = 1_000
const termGraceMs = 2_000
// How long the remaining output is read after the program exits. Not forever: another process may hold the pipe open.
const drainMs = 500
// Windows has no process groups to signal.
const hasGroups = process.platform !== 'win32'

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  readonly #options: StdioTransportOptions
  readonly #lines = new LineBuffer()
  readonly #ended = new AbortController()
  #child: ChildProcessWithoutNullStreams | undefined
  #closing: Promise<void> | undefined
  /** For the message that is being written. */
  #look: (() => void) | undefined
  /** Settles when the program has read the last message. */
  #written: Promise<void> = Promise.resolve()
  #exitReason: string | undefined
  #isGivenUp = false

  constructor(options: StdioTransportOptions) {
    this.#options = options
  }

  // The SDK recognizes a transport to a program by `pid` and `stderr`.
  get pid(): number | undefined {
    return this.#child?.pid
  }

  get stderr(): Readable | undefined {
    return this.#child?.stderr
  }

  /** How the program exited, if it has. */
  get exitReason(): string | undefined {
    return this.#exitReason
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options.endpoint
    const child = spawn(command, args, { env, cwd, stdio: 'pipe', detached: hasGroups, windowsHide: true })
    child.stdin.on('error', (error) => this.onerror?.(error))
    // The second look: if the process is paused after the first one, the program is given up.
    lookBeforeWrites(child.stdin, { look: () => this.#look?.(), sentLate: this.#options.onSentLate })
    await once(child, 'spawn')
    this.#child = child
    child.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (chunk: Buffer) => void this.#read(child.stdout, chunk))
    readLines(child.stderr, this.#options.onStderrLine)
    child.once('exit', (code, signal) =>
      this.#onExit(
        child,
        signal === null ? `its program exited with code ${code}` : `its program was ended by ${signal}`,
      ),
    )
    child.once('close', () => {
      this.#ended.abort()
      this.onclose?.()
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const look = lookFor(message)
    // What the program does not read stays in this process, and would leave it at any time after the look.
    while (look && this.#child?.stdin.writable && this.#child.stdin.writableLength > 0) await this.#written
    const stdin = this.#child?.stdin
    if (!stdin?.writable) throw new Error('The program no longer accepts input.')
    const line = serializeMessage(message)
    look?.()
    this.#look = look
    const written = new Promise<void>((resolve, reject) => {
      stdin.write(line, (error) => (error ? reject(error) : resolve()))
    })
    this.#look = undefined
    this.#written = written.catch(() => undefined)
    try {
      await written
    } catch (error) {
      // The program is exiting. How it exits says more than the broken pipe.
      await sleep(drainMs, this.#ended.signal)
      throw error
    }
  }

  /** Closes it. The reason takes the place of how the program exits. */
  end(reason: string): void {
    this.#exitReason ??= reason
    this.#isGivenUp = true
    // Its output is not read any more.
    this.#child?.stdout.removeAllListeners('data').resume()
    void this.close()
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** A chunk may have thousands of messages. Nothing more is read until they have had their turns. */
  async #read(stdout: Readable, chunk: Buffer): Promise<void> {
    const slice = new TimeSlice()
    try {
      for (const line of this.#lines.push(chunk)) {
        if (slice.isOver) {
          stdout.pause()
          await slice.next()
        }
        if (this.#isGivenUp) return
        this.#readMessage(line)
      }
      if (stdout.isPaused()) stdout.resume()
    } catch (error) {
      this.onerror?.(error as Error)
      this.end('its response was too large')
    }
  }

  /** A program may print other lines, too. */
  #readMessage(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line))
    } catch (error) {
      this.onerror?.(error as Error)
    }
  }

  #onExit(child: ChildProcessWithoutNullStreams, reason: string): void {
    this.#exitReason ??= reason
    signal(child, 'SIGKILL')
    void sleep(drainMs, this.#ended.signal).then(() => {
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

/** Signals the program and all processes that it started. */
function signal({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(hasGroups ? -pid : pid, name)
  } catch {
    // No process is left, or only processes that the service has no permission to signal.
  }
}
