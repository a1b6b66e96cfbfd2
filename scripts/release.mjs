// @ts-check
// `npm run release -- --dry-run`: checks the checkout, tests it, and writes the packages, the bill of materials and the
// checksums to release/. With --publish instead, it publishes the packages too.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packServer } from './pack-server.mjs'
import { readManifests, treeProblems, versionProblems } from './release-checks.mjs'
import { sbomCommand, serverBill } from './release-sbom.mjs'
import { projectRoot, runScript } from './setup.mjs'
import { SetupError, say } from './setup-steps.mjs'

/** What the release does outside of its own files: `read` returns what a program prints. */
/** @typedef {{ run(command: string[]): void, read(command: string[]): string, say(line: string): void }} Shell */

const usage = 'Usage: npm run release -- --dry-run | --publish'

/**
 * @param {string[]} args
 * @returns {{ publish: boolean }}
 */
export function parseArguments(args) {
  const [mode, ...others] = args
  if (others.length > 0 || (mode !== '--dry-run' && mode !== '--publish')) throw new SetupError(usage)
  return { publish: mode === '--publish' }
}

/** @typedef {{ root: string, folder: string, shell: Shell }} Place */

/** @param {Place & { publish: boolean, pack?: (place: Place) => string[] }} options */
export function release({ publish, root, folder, shell, pack = packAll }) {
  const problems = [...treeProblems(shell.read(['git', 'status', '--porcelain'])), ...versionProblems(root)]
  if (problems.length > 0) throw new SetupError(problems.join('\n'))
  // From scratch: a file whose source was removed must not be in a package.
  shell.run(['npm', 'run', 'build'])
  shell.run(['npm', 'run', 'test:all'])
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const packages = pack({ root, folder, shell })
  writeFileSync(...billOf({ root, folder, shell }))
  writeFileSync(join(folder, 'SHA256SUMS'), checksumsOf(folder))
  for (const name of readdirSync(folder)) shell.say(`  ${name}  ${statSync(join(folder, name)).size} bytes`)
  if (!publish) return shell.say(`Nothing was published. The files are in ${folder}.`)
  for (const path of packages) shell.run(['npm', 'publish', path, '--access', 'public', '--provenance'])
}

/**
 * Returns the packages in the order in which they are published. The build has packed the client.
 * @param {Place} place
 */
function packAll({ root, folder }) {
  const server = packServer({ root, to: folder })
  const client = join(folder, basename(server).replace('-server-', '-client-'))
  cpSync(join(root, 'packages/client/dist', basename(client)), client)
  return [client, server]
}

/**
 * The path and the content of the bill of materials.
 * @param {Place} place
 * @returns {[path: string, content: string]}
 */
function billOf({ root, folder, shell }) {
  const bill = serverBill(JSON.parse(shell.read(sbomCommand)), readManifests(root))
  const name = `runwright-server-${bill.metadata.component.version}.cdx.json`
  return [join(folder, name), `${JSON.stringify(bill, null, 2)}\n`]
}

/** In the format of `sha256sum --check`. @param {string} folder */
export function checksumsOf(folder) {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  return lines.join('')
}

/** @param {string} root @returns {Shell} */
function systemShell(root) {
  return {
    say,
    run: ([program = '', ...args]) => {
      const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
      if (status !== 0) throw new SetupError(`The release stopped, because this failed: ${program} ${args.join(' ')}`)
    },
    read: ([program = '', ...args]) =>
      execFileSync(program, args, {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 64e6,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runScript(async () => {
    const { publish } = parseArguments(process.argv.slice(2))
    release({ publish, root: projectRoot, folder: join(projectRoot, 'release'), shell: systemShell(projectRoot) })
  })
}
