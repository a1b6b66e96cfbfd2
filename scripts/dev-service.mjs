// @ts-check
// The service of `npm run dev`: a child process that is replaced when its sources have changed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { secondsSince } from './setup-steps.mjs'

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {{ program: string, env: Record<string, string>, bundle: () => Promise<void> }} DevServiceOptions */

// A step that takes longer is recovered after its lease.
const graceMs = 1_000

export class DevService {
  /** @type {DevServiceOptions} */
  #options
  /** @type {ChildProcess | undefined} */
  #child
  #isStopped = false
  /** One restart after another. @type {Promise<void>} */
  #work = Promise.resolve()
  /** The next restart has not begun, so it will include what changes now. */
  #isDue = false

  /** @param {DevServiceOptions} options */
  constructor(options) {
    this.#options = options
  }

  /** Returns when the service answers, or has ended because it could not start. */
  async start() {
    const { program, env } = this.#options
    // Ctrl-C reaches the whole group, but the service stops before its database.
    const child = spawn(process.execPath, ['--enable-source-maps', program], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    })
    this.#child = child
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    const { exitCode } = child
    if (exitCode !== null) console.error(`The service ended with code ${exitCode}. Change a file to try again.`)
    return exitCode === null
  }

  /** A change that cannot be built leaves the service as it is. @param {string} file */
  restart(file) {
    if (this.#isDue) return this.#work
    this.#isDue = true
    this.#work = this.#work.then(() => this.#restart(file)).catch((error) => console.error(error))
    return this.#work
  }

  /** @param {string} file */
  async #restart(file) {
    this.#isDue = false
    if (this.#isStopped) return
    const startedAt = performance.now()
    try {
      await this.#options.bundle()
    } catch (error) {
      console.error(`${file} cannot be built: ${error instanceof Error ? error.message : error}`)
      return
    }
    await this.#end()
    if (!this.#isStopped && (await this.start()))
      console.log(`${file} changed: restarted in ${secondsSince(startedAt)}.`)
  }

  async stop() {
    this.#isStopped = true
    await this.#end()
    await this.#work
    await this.#end()
  }

  async #end() {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
}
