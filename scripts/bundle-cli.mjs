// @ts-check
// `node scripts/bundle-cli.mjs`, in the folder of the server: bundles the commands that talk to a service into one npm
// package without dependencies, which a service serves at `/cli.tgz`.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { keepPlaces } from './bundle-server.mjs'
import { licensesOf } from './licenses.mjs'
import { npmPack } from './pack-server.mjs'

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {string} folder the package of the server */
export async function bundleCli(folder) {
  const dist = join(folder, 'dist')
  const to = join(dist, 'cli-package')
  const staged = join(to, 'package')
  rmSync(to, { recursive: true, force: true })
  const bundle = await rolldown({
    input: { main: join(dist, 'cli/remote-main.js') },
    platform: 'node',
    plugins: [keepPlaces(dist, join(dist, 'bundle'))],
  })
  const { output } = await bundle.write({ dir: join(staged, 'dist/bundle'), format: 'esm', minify: true })
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  writeFileSync(join(staged, 'dist/bundle/THIRD-PARTY-LICENSES.txt'), licensesOf(modules))
  mkdirSync(join(staged, 'bin'))
  cpSync(join(folder, 'bin/runwright.mjs'), join(staged, 'bin/runwright.mjs'))
  cpSync(join(projectRoot, 'LICENSE'), join(staged, 'LICENSE'))
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifestOf(folder), null, 2)}\n`)
  npmPack(staged, to)
  rmSync(staged, { recursive: true })
}

/** @param {string} folder */
function manifestOf(folder) {
  const { version, license, type, engines, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const description = 'The command line of Runwright, for a service on any machine'
  return { name: '@runwright/cli', version, description, license, type, engines, bin }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCli(process.cwd())
