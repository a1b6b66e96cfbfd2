// @ts-check
// Runs the programs of the setup: prints each step and its duration, and the output of a program only if it fails.
import { spawn } from 'node:child_process'
import { basename } from 'node:path'

/** The setup failed. The message is one sentence that says why. */
export class SetupError extends Error {}

// Enough to see the cause: npm can be verbose.
const keptOutput = 20_000
const canKillGroups = process.platform !== 'win32'

/**
 * Prints to stderr, because stdout belongs to the service.
 * @param {string} line
 */
export function say(line) {
  console.error(line)
}

/** @param {number} startedAt from performance.now() */
export function secondsSince(startedAt) {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}

/**
 * @param {{ doing: string, done: string, failed: string }} words
 * @param {() => Promise<void>} work
 */
export async function step(words, work) {
  const startedAt = performance.now()
  say(`${words.doing}…`)
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    say(indent(error.output))
    throw new SetupError(words.failed)
  }
  say(`${words.done} in ${secondsSince(startedAt)}.`)
}

class ProgramError extends Error {
  /** @param {string} output */
  constructor(output) {
    super('a program of the setup failed')
    this.output = output
  }
}

/**
 * @param {[program: string, ...args: string[]]} command
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean, isNoise?: (line: string) => boolean }} options
 * `isNoise` sees each line, and says which are only progress.
 * @returns {Promise<void>}
 */
export function runQuietly([program, ...args], { cwd, env = process.env, shell = false, isNoise }) {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(program, args, { cwd, env, shell, detached: canKillGroups, stdio: ['ignore', 'pipe', 'pipe'] })
    let rest = ''
    const collect = (/** @type {Buffer} */ chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      const kept = isNoise ? lines.filter((line) => !isNoise(line)) : lines
      output = (output + kept.map((line) => `${line}\n`).join('')).slice(-keptOutput)
    }
    const endChild = () => killWithChildren(child)
    process.once('exit', endChild)
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => reject(new ProgramError(String(error))))
    child.on('close', (code) => {
      process.off('exit', endChild)
      if (code === 0) resolve()
      else reject(new ProgramError(output + rest))
    })
  })
}

/**
 * After an interruption, a program that keeps running would interfere with the next attempt. SIGTERM is not enough,
 * because npm finishes its work first. A partial result is harmless, because it has no stamp.
 * @param {import('node:child_process').ChildProcess} child
 */
function killWithChildren(child) {
  if (!canKillGroups || child.pid === undefined) child.kill('SIGKILL')
  else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
}

/**
 * Uses the npm that started this process, otherwise the one on the PATH, which on Windows only a shell can start.
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, isNoise?: (line: string) => boolean }} options
 */
export function runNpm(args, options) {
  const running = process.env.npm_execpath
  if (running !== undefined && basename(running) === 'npm-cli.js') {
    return runQuietly([process.execPath, running, ...args], options)
  }
  return runQuietly(['npm', ...args], { ...options, shell: process.platform === 'win32' })
}

/** @param {string} text */
function indent(text) {
  return text.trimEnd().replace(/^/gm, '    ')
}
