#!/usr/bin/env node
// The command `runwright`.
import { existsSync } from 'node:fs'

const entry = new URL('../dist/cli/main.js', import.meta.url)

if (existsSync(entry)) {
  const { main } = await import(entry.href)
  await main(process.argv.slice(2))
} else {
  console.error('Runwright is not built yet: run npm run build first.')
  process.exitCode = 1
}
