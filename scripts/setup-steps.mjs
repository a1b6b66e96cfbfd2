// @ts-check
// Runs the programs of the set-up: says what is being done and how long it took, shows a program's output only if it fails.
import { spawn } from 'node:child_process'
import { basename } from 'node:path'

/** The set-up can't go on, for a reason that its message tells in one sentence. */
export class SetupError extends Error {}

// Enough to see what went wrong; npm can be talkative.
const keptOutput = 20_000
const canKillGroups = process.platform !== 'win32'

/**
 * On stderr, because what a start prints on stdout belongs to the service.
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
    super('a program of the set-up failed')
    this.output = output
  }
}

/**
 * @param {[program: string, ...args: string[]]} command
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, shell?: boolean }} options
 * @returns {Promise<void>}
 */
export function runQuietly([program, ...args], { cwd, env = process.env, shell = false }) {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(program, args, { cwd, env, shell, detached: canKillGroups, stdio: ['ignore', 'pipe', 'pipe'] })
    const collect = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk).slice(-keptOutput)
    }
    const endChild = () => killWithChildren(child)
    process.once('exit', endChild)
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => reject(new ProgramError(String(error))))
    child.on('close', (code) => {
      process.off('exit', endChild)
      if (code === 0) resolve()
      else reject(new ProgramError(output))
    })
  })
}

/**
 * If we are interrupted, a program that went on by itself would get in the way of the next attempt. A request to end is not
 * enough: npm takes it as one to finish first. What is left half-done is no harm, since it bears no stamp.
 * @param {import('node:child_process').ChildProcess} child
 */
function killWithChildren(child) {
  if (!canKillGroups || child.pid === undefined) child.kill('SIGKILL')
  else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
}

/**
 * The npm that runs us, without relying on the PATH; else the one on the PATH, which on Windows only a shell can start.
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
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
