// A conversation of 30 turns, recorded with a provider that answers at once, and replayed from its cassette. The goal
// is that a suite of recorded runs takes seconds.
//
// Options are name=value, such as `npm run bench -- replay runs=5 turns=50`.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, question } from './lib/agent-service.mjs'
import { report, spread } from './lib/report.mjs'
import { createRun, followRun, hasEnd } from './lib/send.mjs'
import { startProcess } from './lib/service.mjs'

const defaults = { turns: 30, runs: 20 }

export async function run(args) {
  const { turns, runs } = readOptions(args)
  const folder = mkdtempSync(join(tmpdir(), 'runwright-cassettes-'))
  try {
    const recorded = await record(folder, { turns, runs })
    const [file] = readdirSync(folder)
    const kilobytes = statSync(join(folder, file)).size / 1024
    const replayed = await replay(folder, runs)
    report('replay', {
      title: 'Replay: a recorded conversation without its provider',
      columns: ['what', 'provider that answers at once', 'cassette', 'goal'],
      rows: [
        [`one run of ${turns} turns, ms, over ${runs} runs`, spread(recorded), spread(replayed), '≤ 1,000'],
        ['the cassette, kB', '', kilobytes.toFixed(0), ''],
      ],
      notes: [
        'The time of a run is from the create being sent to its end received over SSE; the first run does not count.',
      ],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readOptions(args) {
  const given = Object.fromEntries(args.map((arg) => arg.split('=')))
  const unknown = Object.keys(given).find((name) => !(name in defaults))
  if (unknown !== undefined)
    throw new Error(`Unknown option ${unknown}. Options: ${Object.keys(defaults).join('=, ')}=.`)
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, Number(given[name] ?? value)]))
}

async function record(folder, { turns, runs }) {
  const provider = await startProcess('./serve-provider.mjs')
  try {
    await ask(provider, { what: 'behave', behaviour: { mode: 'answer', delayMs: 0, turns } })
    return await timeRuns(runs, { RUNWRIGHT_RECORD: folder, OPENAI_COMPATIBLE_BASE_URL: provider.url })
  } finally {
    await provider.stop()
  }
}

const replay = (folder, runs) => timeRuns(runs, { RUNWRIGHT_REPLAY: folder })

async function timeRuns(runs, env) {
  const service = await startProcess('./serve.mjs', {
    args: [JSON.stringify({ executes: true })],
    env: { RUNWRIGHT_MODEL: 'openai-compatible/bench', ...env },
  })
  try {
    const times = []
    for (let number = 0; number <= runs; number += 1) times.push(await runOnce(service.url, number))
    return times.slice(1)
  } finally {
    await service.stop()
  }
}

async function runOnce(url, number) {
  const start = performance.now()
  const id = await createRun(url, { idempotencyKey: `replay-${number}`, body: question })
  const text = await followRun(url, id, hasEnd)
  if (!text.includes('run.worker.succeeded')) throw new Error(`a run did not succeed: ${text.slice(-500)}`)
  return performance.now() - start
}
