// @ts-check
// `npm run dev`: runs the service from its sources and restarts it when they change. The console has hot reload, and
// the database keeps running. Settings are those of `npm start`; without a model, the sandbox answers.
import { mkdirSync, watch, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DevService } from './dev-service.mjs'
import { ensureReady, projectRoot, runScript } from './setup.mjs'

const packages = join(projectRoot, 'packages')
const sources = join(packages, 'server/src')
// Not in `dist`, which is packed.
const output = join(packages, 'server/.dev')
const watched = ['contract', 'client', 'server'].map((name) => join(packages, name, 'src'))
const consolePort = 5173
const servicePort = process.env.RUNWRIGHT_PORT ?? '8080'

/** Packages stay outside: bundling them at every change takes longer than loading them. */
const external = [/^(?!\.|\/|@runwright\/)/]

async function bundle() {
  const { rolldown } = await import('rolldown')
  const { keepPlaces } = await import('./bundle-server.mjs')
  const built = await rolldown({
    input: {
      main: join(sources, 'cli/main.ts'),
      postgres: join(sources, 'store/embedded/start-embedded-postgres.ts'),
    },
    platform: 'node',
    external,
    resolve: {
      alias: {
        '@runwright/contract': join(packages, 'contract/src/index.ts'),
        '@runwright/client': join(packages, 'client/src/index.ts'),
      },
    },
    plugins: [keepPlaces(sources, output)],
  })
  await built.write({ dir: output, format: 'esm', sourcemap: true, chunkFileNames: '[name].js' })
  await built.close()
}

/** @returns {Promise<{ url: string, stop: () => Promise<void> }>} */
async function openDatabase() {
  const { startEmbeddedPostgres } = await import(pathToFileURL(join(output, 'postgres.js')).href)
  const dataDir = resolve(process.env.RUNWRIGHT_DATA_DIR ?? '.runwright')
  const report = (/** @type {string} */ message) => console.error(message)
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, report })
  const { host, port, user, password, database } = connection
  const url = new URL(`postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}`)
  url.searchParams.set('host', host)
  return { url: url.href, stop }
}

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
async function openConsole() {
  process.env.CONSOLE_SERVICE_URL ??= `http://127.0.0.1:${servicePort}`
  const { createServer } = await import('vite')
  const server = await createServer({
    root: join(packages, 'console'),
    clearScreen: false,
    logLevel: 'warn',
    server: { host: '127.0.0.1', port: consolePort },
  })
  await server.listen()
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() }
}

/** @param {string} url */
const told = (url) => `
Console with hot reload: ${url} (sign in with your API key, or with the link above and this address).
The service restarts when its sources change.
`

/** Calls `onChange` once for changes that come together, such as those of a checkout. */
function watchSources(/** @type {(file: string) => void} */ onChange) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  for (const folder of watched) {
    watch(folder, { recursive: true }, (_, name) => {
      if (name === null || /\.test\.ts$|~$|\.sw.$/.test(name)) return
      clearTimeout(timer)
      timer = setTimeout(() => onChange(relative(projectRoot, join(folder, name))), 50)
    })
  }
}

await runScript(async () => {
  await ensureReady({ fromSource: true })
  await bundle()
  mkdirSync(output, { recursive: true })
  const program = join(output, 'run.mjs')
  writeFileSync(
    program,
    "import { main } from './main.js'\nawait main(['start'])\nprocess.send?.('ready')\nprocess.disconnect?.()\n",
  )
  const database = process.env.DATABASE_URL ? undefined : await openDatabase()
  const service = new DevService({ program, bundle, env: database ? { DATABASE_URL: database.url } : {} })
  await service.start()
  const page = await openConsole()
  console.log(told(page.url))
  watchSources((file) => void service.restart(file))
  // That of Vite would end the process before the database is closed.
  process.removeAllListeners('SIGTERM')
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.once(signal, () => {
      void Promise.all([page.close(), service.stop().then(() => database?.stop())]).finally(() => process.exit())
    })
  }
})
