#!/usr/bin/env node
// The command `runwright`.
import { statSync } from 'node:fs'

/** When the file was written, and 0 if it does not exist. */
const writtenAt = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0

const bundle = '../dist/bundle/main.js'
const compiled = '../dist/cli/main.js'
// After `tsc -b` alone, the bundle is older than the code.
const entry = writtenAt(bundle) > writtenAt('../dist/.tsbuildinfo') ? bundle : compiled

if (writtenAt(entry) > 0) {
  const { main } = await import(new URL(entry, import.meta.url).href)
  await main(process.argv.slice(2))
} else {
  console.error('Runwright is not built yet: run npm run build first.')
  process.exitCode = 1
}
