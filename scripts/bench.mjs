// `npm run bench -- <name>`: installs and builds what is missing, then runs one benchmark.
import { readdirSync } from 'node:fs'
import { ensureReady } from './setup.mjs'

const folder = new URL('../bench/', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -4))

const [name, ...options] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- ${names.join(' | ')}`)
  process.exit(1)
}
await ensureReady({ forTests: true })
const { run } = await import(new URL(`${name}.mjs`, folder).href)
await run(options)
