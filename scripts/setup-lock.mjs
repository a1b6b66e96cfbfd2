// @ts-check
// Lets one process at a time set up a checkout; the others wait and then find the work done.
//
// The lock is a file with the id of its holder, which touches it regularly. It is stale if the process no longer
// exists, or if it was not touched for a while, in case the process id is reused. Only the holder of a second,
// short-lived lock may remove a stale lock: otherwise a slow process could remove the new lock of a faster one.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from './setup-stamps.mjs'
import { SetupError, say } from './setup-steps.mjs'

// A folder that git ignores and that `npm ci`, unlike node_modules, does not delete.
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
  let isReported = false
  while (!tryToCreate(path)) {
    if (removeIfStale(path)) continue
    if (!isReported) say(`Waiting for another process (${holderOf(path)}) that is setting up this checkout…`)
    isReported = true
    await pause(lookEveryMs)
  }
}

/**
 * @param {string} path
 * @returns {boolean} false if another process holds it
 */
function tryToCreate(path) {
  try {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, `${process.pid}@${hostname()}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new SetupError(`This checkout must be set up first, but ${path} cannot be written (${codeOf(error)}).`)
  }
}

/**
 * @param {string} path
 * @returns {boolean} whether to try again immediately
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
    // The folder was deleted by hand; the setup continues.
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
 * Empty if the lock was released, or is just being written.
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
 * Our own process id in an existing lock comes from an earlier process, which happens in containers.
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
