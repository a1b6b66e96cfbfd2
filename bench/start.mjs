// How long a start takes until it is ready: the first start, a warm one, and a bare Fastify process as the baseline.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report, spread } from './lib/report.mjs'

const port = 18_473
const command = new URL('../packages/server/bin/runwright.mjs', import.meta.url).pathname
const bare = new URL('./lib/serve-bare.mjs', import.meta.url).pathname

export async function run([roundsText = '3']) {
  const results = { bare: [], first: [], warm: [], memory: [] }
  for (let round = 1; round <= Number(roundsText); round += 1) {
    const dataDir = mkdtempSync(join(tmpdir(), 'runwright-bench-'))
    results.bare.push((await timeStart(bare, { ready: (text) => text.includes('url') })).ms)
    results.first.push((await timeStart(command, { args: ['start'], dataDir })).ms)
    const warm = await timeStart(command, { args: ['start'], dataDir, settleMs: 3_000 })
    results.warm.push(warm.ms)
    results.memory.push(warm.megabytes)
    rmSync(dataDir, { recursive: true, force: true })
  }
  report('start', {
    title: 'Start until /health/ready answers 200',
    columns: ['what', 'ms'],
    rows: [
      ['bare Fastify process listening', spread(results.bare)],
      ['Runwright, first ever (installed and built; makes its database)', spread(results.first)],
      ['Runwright, warm', spread(results.warm)],
    ],
    notes: [`Idle memory of the Node process after 3 s: ${spread(results.memory)} MB resident.`],
  })
}

async function timeStart(script, { args = [], dataDir, ready, settleMs = 0 }) {
  const start = performance.now()
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, RUNWRIGHT_PORT: String(port), ...(dataDir && { RUNWRIGHT_DATA_DIR: dataDir }) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (ready) while (!ready(String(await once(child.stdout, 'data'))));
  else while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 5))
  const ms = performance.now() - start
  child.stdout.resume()
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { ms, megabytes }
}

const isReady = () =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    (response) => response.status === 200,
    () => false,
  )
