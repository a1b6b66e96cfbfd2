// How a person writes the command here, for hints: each must work when it is pasted. `npx runwright` alone is never
// printed: outside a folder that has the package, npm would ask the public registry for that name.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Place {
  /** The folder of the package that contains the command. */
  readonly packageFolder: string
  readonly currentFolder: string
  /** As in PATH. */
  readonly programFolders: readonly string[]
  /** The path of Node. */
  readonly node: string
}

let prefix: string | undefined

/** `commandLine('watch run_1')`, such as `runwright watch run_1`. */
export function commandLine(args: string): string {
  prefix ??= findCommand(placeOfProcess())
  return `${prefix} ${args}`
}

/** For a command that the package of `/cli.tgz` does not have: there, it says where to run it. */
export const installedCommandLine = (args: string, place = placeOfProcess()): string =>
  findSource(place) === undefined ? commandLine(args) : `runwright ${args} on the machine of the service`

/** Writes the command that begins an example, or follows `$(`, `|`, `&&` or a variable, as it is written here. */
export const exampleLine = (example: string): string =>
  example.replace(/(^|[(|] ?|&& |^\w+=\S+ )runwright /g, (_, before: string) => `${before}${commandLine('')}`)

const placeOfProcess = (): Place => ({
  packageFolder: fileURLToPath(new URL('../../..', import.meta.url)),
  currentFolder: process.cwd(),
  programFolders: (process.env.PATH ?? '').split(delimiter),
  node: process.execPath,
})

export function findCommand(place: Place): string {
  const found = [inCheckout, onPath, inProject, ofNpx].map((find) => find(place)).find((command) => command)
  return found ?? byPath(place)
}

/** In another folder of a checkout, npm would run the scripts of another package. */
const inCheckout = ({ packageFolder, currentFolder }: Place): string | undefined => {
  const root = join(packageFolder, '../..')
  const isCheckout = existsSync(join(root, 'scripts/setup.mjs')) && isSame(root, currentFolder)
  return isCheckout ? 'npm run -s runwright --' : undefined
}

/** npm puts the programs of a project into PATH, but only for what it starts itself. */
const onPath = ({ packageFolder, programFolders }: Place): string | undefined => {
  const own = programFolders.filter((folder) => folder !== '' && !/node_modules[/\\]\.bin[/\\]?$/.test(folder))
  const first = own.map((folder) => join(folder, 'runwright')).find((path) => existsSync(path))
  return first !== undefined && isSame(first, programOf(packageFolder)) ? 'runwright' : undefined
}

/** `--no` keeps npm from fetching the name if the command is pasted elsewhere. */
const inProject = ({ packageFolder, currentFolder }: Place): string | undefined => {
  const { name } = readManifest(packageFolder)
  const installed = name && join(currentFolder, 'node_modules', name)
  return installed && isSame(installed, packageFolder) ? 'npx --no runwright' : undefined
}

const ofNpx = (place: Place): string | undefined => {
  const url = findSource(place)
  return url && `npx -y ${quoted(url)}`
}

/** npm notes in the folder of an `npx http://…/cli.tgz` what it was asked for. */
function findSource({ packageFolder }: Place): string | undefined {
  const [folder, rest] = packageFolder.split(`${sep}node_modules${sep}`)
  if (rest === undefined || !folder?.includes(`${sep}_npx${sep}`)) return undefined
  const [asked] = readManifest(folder)._npx?.packages ?? []
  return asked !== undefined && /^https?:/.test(asked) && URL.canParse(asked) ? asked : undefined
}

/** The address of the service that this package was fetched from by npx. */
export function findOriginOfPackage(place: Place = placeOfProcess()): string | undefined {
  const url = findSource(place)
  return url && new URL(url).origin
}

const byPath = ({ packageFolder, programFolders, node }: Place): string => {
  const isFound = programFolders.includes(dirname(node))
  return `${isFound ? 'node' : quoted(node)} ${quoted(programOf(packageFolder))}`
}

const programOf = (packageFolder: string): string => join(packageFolder, 'bin/runwright.mjs')

const quoted = (path: string): string => (/^[\w./:\\@+-]+$/.test(path) ? path : `"${path}"`)

function isSame(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)
}

interface Manifest {
  readonly name?: string
  readonly _npx?: { readonly packages?: readonly string[] }
}

const readManifest = (folder: string): Manifest => {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
