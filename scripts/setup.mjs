// @ts-check
// Prepares a checkout for the service or its tests: installs the packages and builds the code.
// If nothing has changed it only reads and compares, so that a start is fast and works in a read-only checkout.
// It runs before anything is installed, so it uses only Node itself, and syntax that an old Node can parse.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './setup-build.mjs'
import { install, isInstalled } from './setup-install.mjs'
import { withSetupLock } from './setup-lock.mjs'
import { handToOwner } from './setup-ownership.mjs'
import { SetupError } from './setup-steps.mjs'

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

const oldestNode = '20.19'

/**
 * Throws a SetupError whose message says what to do.
 * @param {{ forTests?: boolean, forceBuild?: boolean, fromSource?: boolean, root?: string }} [options] `forTests` also
 * installs what only tests and checks need, half of all packages; `fromSource` needs no build
 */
export async function ensureReady({
  forTests = false,
  forceBuild = false,
  fromSource = false,
  root = projectRoot,
} = {}) {
  checkNode(process.versions.node)
  const mustBuild = () => forceBuild || (!fromSource && !isBuilt(root))
  if (isInstalled(root, { forTests }) && !mustBuild()) return
  await withSetupLock(root, async () => {
    if (!isInstalled(root, { forTests })) await install(root, { forTests })
    if (mustBuild()) await build(root, { fromScratch: forceBuild })
    handToOwner(root)
  })
}

/** @param {string} version */
export function checkNode(version) {
  if (asNumber(version) >= asNumber(oldestNode)) return
  throw new SetupError(
    `Runwright requires Node ${oldestNode} or newer, but this is Node ${version}. Install a newer version.`,
  )
}

/**
 * Major and minor version as one comparable number.
 * @param {string} version
 */
function asNumber(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

/**
 * Runs a script: a SetupError prints its message instead of a stack trace.
 * @param {() => Promise<void>} script
 */
export async function runScript(script) {
  try {
    await script()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
