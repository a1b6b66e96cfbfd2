// @ts-check
// `npm start`: gets the checkout ready if it is not, then runs `runwright start` in this very process, so that signals and
// exit codes are the service's own.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

/** npm passes a SIGTERM on to its shell only: when that is gone, nobody is left who wanted this service. */
function stopWithShell() {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

await runScript(async () => {
  await ensureReady()
  if (process.env.npm_lifecycle_event === 'start') stopWithShell()
  const entry = join(projectRoot, 'packages/server/dist/cli/main.js')
  const args = ['start', ...process.argv.slice(2)]
  process.argv = [process.execPath, entry, ...args]
  const { main } = await import(pathToFileURL(entry).href)
  await main(args)
})
