// @ts-check
// `npm start`: gets the checkout ready if it is not, then runs `runwright start` in this very process, so that signals and
// exit codes are the service's own.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

await runScript(async () => {
  await ensureReady()
  const entry = join(projectRoot, 'packages/server/dist/cli/main.js')
  const args = ['start', ...process.argv.slice(2)]
  process.argv = [process.execPath, entry, ...args]
  const { main } = await import(pathToFileURL(entry).href)
  await main(args)
})
