// Reads a built site from its folder: every file with a known extension.
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BuiltFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string
  readonly type: string
  readonly content: Buffer
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Excludes hidden files and characters that the router would treat as a pattern. */
const plainPath = /^\w[\w.-]*(\/\w[\w.-]*)*$/

/** Returns an empty list if there is no build. */
export function readBuild(folder: URL | string): BuiltFile[] {
  const root = folder instanceof URL ? fileURLToPath(folder) : folder
  return entriesIn(root)
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readBuiltFile(root, join(entry.parentPath, entry.name)))
}

function entriesIn(root: string): Dirent[] {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function readBuiltFile(root: string, file: string): BuiltFile[] {
  const path = relative(root, file).split(sep).join('/')
  const type = types[extname(file)]
  return type === undefined || !plainPath.test(path) ? [] : [{ path, type, content: readFileSync(file) }]
}
