// @ts-check
// `npm start`: installs and builds what is missing, then runs `runwright start` in the same process, so that the
// service handles signals and sets the exit code.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureReady, projectRoot, runScript } from './setup.mjs'
import { stopWithShell } from './stop-with-shell.mjs'

await runScript(async () => {
  await ensureReady()
  if (process.env.npm_lifecycle_event === 'start') stopWithShell('SIGTERM')
  const server = join(projectRoot, 'packages/server')
  const entry = join(server, 'dist/bundle/main.js')
  const args = ['start', ...process.argv.slice(2)]
  // What each of several processes executes.
  process.argv = [process.execPath, join(server, 'bin/runwright.mjs'), ...args]
  const { main } = await import(pathToFileURL(entry).href)
  await main(args)
})
