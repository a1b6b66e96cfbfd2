// @ts-check
// Starts the Chromium of the browser tests, for scripts and benchmarks.
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { runnerImport } from 'vite'
import { projectRoot } from './setup.mjs'

/** Through Vite, because Node 20 does not run TypeScript. */
async function chromiumPath() {
  const file = join(projectRoot, 'packages/server/test/browser/chromium-path.ts')
  const { module } = /** @type {{ module: { chromiumPath(): Promise<string> } }} */ (await runnerImport(file))
  return module.chromiumPath()
}

export const launchChromium = async () =>
  chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] })
