// @ts-check
// Lets one process at a time set a checkout up; the others wait and then find the work done.
// The lock is a file that names its holder and is touched while it is held. It is stale when its holder is gone, or, should that
// number belong to another process by now, when it has not been touched for a while. Only who holds a second lock, for an
// instant, may remove a stale one: otherwise a slow second remover could take away the lock that the first has just made.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from './setup-stamps.mjs'
import { SetupError, say } from './setup-steps.mjs'

// In a folder that git ignores and that `npm ci`, unlike node_modules, leaves alone.
export const lockFolder = 'packages/server/dist'
export const lockName = '.setup-lock'

const touchEveryMs = 2_000
const staleAfterMs = 20_000
const lookEveryMs = 200
const endingSignals = /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])

/**
 * @param {string} root
 * @param {() => Promise<void>} work
 */
export async function withSetupLock(root, work) {
  const path = join(root, lockFolder, lockName)
  await takeLock(path)
  const touching = setInterval(() => touch(path), touchEveryMs)
  const release = () => rmSync(path, { force: true })
  const handlers = endingSignals.map(([signal, code]) => onSignal(signal, () => process.exit(code)))
  process.once('exit', release)
  try {
    await work()
  } finally {
    clearInterval(touching)
    for (const stopHandling of handlers) stopHandling()
    process.off('exit', release)
    release()
  }
}

/** @param {string} path */
async function takeLock(path) {
  let told = false
  while (!tryToCreate(path)) {
    if (removeIfStale(path)) continue
    if (!told) say(`Another process (${holderOf(path)}) is setting this checkout up: waiting for it…`)
    told = true
    await pause(lookEveryMs)
  }
}

/**
 * @param {string} path
 * @returns {boolean} false when somebody holds it
 */
function tryToCreate(path) {
  try {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `${process.pid}@${hostname()}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new SetupError(`This checkout has to be set up first, but ${path} can't be written (${codeOf(error)}).`)
  }
}

/**
 * @param {string} path
 * @returns {boolean} whether it is worth trying again at once
 */
function removeIfStale(path) {
  if (!isStale(path)) return false
  const guard = `${path}-removal`
  if (!tryToCreate(guard)) {
    if (ageMs(guard) > staleAfterMs) rmSync(guard, { force: true })
    return false
  }
  try {
    if (isStale(path)) rmSync(path, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
  return true
}

/** @param {string} path */
function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch (error) {
    // Somebody cleared the folder by hand; the work itself goes on.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** @param {string} path */
function isStale(path) {
  const [pid, host] = holderOf(path).split('@')
  const isGone = host === hostname() && !isRunning(Number(pid))
  return ageMs(path) > staleAfterMs || isGone
}

/**
 * Empty when the lock was released, or for the instant in which it is being written.
 * @param {string} path
 */
function holderOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

/** @param {string} path */
function ageMs(path) {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return modified === undefined ? 0 : Date.now() - modified
}

/**
 * Our own number in a lock that is not ours was left by a process of an earlier life, as happens in containers.
 * @param {number} pid
 */
function isRunning(pid) {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * @param {NodeJS.Signals} signal
 * @param {() => void} handle
 */
function onSignal(signal, handle) {
  process.once(signal, handle)
  return () => process.off(signal, handle)
}
