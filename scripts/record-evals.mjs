// `node scripts/record-evals.mjs [folder]`: records the cassettes of the retail suite from the scripted model of the
// tests. To record from a real model instead, see docs/evals.md.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'examples/evals/retail/cassettes'))
const test = 'packages/server/test/evals/retail.test.ts'

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const { status } = spawnSync('npx', ['vitest', 'run', test, '-t', 'all twenty tasks'], {
  cwd: root,
  env: { ...process.env, RECORD_EVALS: folder },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
