// One process that a reader of a guide starts: a block of commands in bash, with all that it prints.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Occurrences } from '../support/occurrences.ts'

/** A limit for what never comes, such as an answer that a guide forgets. The output then says how far it got. */
const longestMs = 60_000

export type Environment = Readonly<Record<string, string>>

interface Command {
  readonly kind: 'command' | 'service'
  readonly script: string
  readonly env: Environment
  readonly cwd: string
}

// Every assignment is exported, so that the next block has it. The first command that fails ends the block.
const wrapper = 'exec 2>&1; set -ea; trap \'env -0 > "$1"\' EXIT; eval "$2"'
// A service does not read its input, which ends with the test: even a test that is killed leaves none behind.
const serviceWrapper = `(cat; kill -KILL 0) > /dev/null 2>&1 <&0 & ${wrapper}`

export class ReaderProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<number | null>
  readonly #printed = new Occurrences<string>()
  #hasExited = false

  /** `stateFile` receives the variables that the block leaves behind. */
  constructor({ kind, script, env, cwd }: Command, stateFile: string) {
    // A process group of its own: Ctrl-C reaches all of it.
    const code = kind === 'service' ? serviceWrapper : wrapper
    const args = ['--noprofile', '--norc', '-c', code, 'guide', stateFile, script]
    this.#child = spawn('bash', args, { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#printed.add(text))
    this.#exited = once(this.#child, 'close').then(([code]) => {
      this.#hasExited = true
      this.#printed.changed()
      return code
    })
    process.once('exit', this.#endWithUs)
  }

  get output(): string {
    return this.#printed.all.join('')
  }

  /** Resolves with true once `isThere` is, and with false if the process ends without it. */
  async prints(isThere: (output: string) => boolean): Promise<boolean> {
    const late = setTimeout(() => this.#signal('SIGKILL'), longestMs)
    const result = await this.#printed.until(() => (isThere(this.output) ? 'there' : this.#hasExited && 'ended'))
    clearTimeout(late)
    return result === 'there'
  }

  /** Resolves with the exit code. */
  async ends(): Promise<number | null> {
    await this.prints(() => this.#hasExited)
    return this.#exited
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Ctrl-C. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    this.#signal(signal)
    await this.#exited
    process.removeListener('exit', this.#endWithUs)
  }

  readonly #endWithUs = () => this.#signal('SIGKILL')

  #signal(signal: NodeJS.Signals): void {
    if (!this.#hasExited && this.#child.pid !== undefined) process.kill(-this.#child.pid, signal)
  }
}
