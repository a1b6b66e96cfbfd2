// Loaded into a process of the service before its own code: it loads that code, which is most of what a start takes,
// and runs it when it is told to go on.
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const isOfStart = (file) => /^(main|services|start)\b.*\.js$/.test(file)

async function wait() {
  const goesOn = new Promise((resolve) => process.once('SIGCONT', resolve))
  const staysAlive = setInterval(() => undefined, 2 ** 30)
  const bundle = join(dirname(process.argv[1]), '../dist/bundle')
  for (const file of readdirSync(bundle).filter(isOfStart)) await import(pathToFileURL(join(bundle, file)).href)
  process.stdout.write('This process waits.\n')
  await goesOn
  clearInterval(staysAlive)
}

if (isMainThread) await wait()
