// What the loop itself costs per model call with the adapter of each provider: the CPU time of the service, next to
// that with the adapter for OpenAI-compatible servers in the same round. Strict mocks answer, in processes of their
// own.
//
// Options are name=value, such as `npm run bench -- providers rounds=3 runs=200`.
import { ask, callsPerRun, createRuns } from './lib/agent-service.mjs'
import { median, report, spread } from './lib/report.mjs'
import { startProcess } from './lib/service.mjs'

const defaults = { rounds: 3, runs: 300 }
const warmUpRuns = 150
const baseline = 'openai-compatible'

const adapters = {
  [baseline]: { format: 'openai-chat', model: 'openai-compatible/gpt-4o', variables: 'OPENAI_COMPATIBLE' },
  'openai-chat': { format: 'openai-chat', model: 'openai-chat/gpt-4o', variables: 'OPENAI' },
  openai: { format: 'openai-responses', model: 'openai/gpt-5', variables: 'OPENAI' },
  anthropic: { format: 'anthropic', model: 'anthropic/claude-sonnet-4-5', variables: 'ANTHROPIC' },
  google: { format: 'gemini', model: 'google/gemini-3-pro', variables: 'GEMINI' },
}

export async function run(args) {
  const { rounds, runs } = readOptions(args)
  const costs = Object.fromEntries(Object.keys(adapters).map((name) => [name, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, adapter] of Object.entries(adapters)) {
      costs[name].push(await cpuPerCall(adapter, runs))
      console.log(`round ${round}, ${name}: ${costs[name].at(-1).toFixed(2)} ms of CPU per call`)
    }
  }
  const ratios = (name) => costs[name].map((cost, round) => cost / costs[baseline][round])
  report('providers', {
    title: 'The loop’s own cost per model call, by adapter',
    columns: ['adapter', 'CPU per call, ms', `ratio to ${baseline}`, 'goal'],
    rows: Object.keys(adapters).map((name) => [
      name,
      spread(costs[name], 2),
      name === baseline ? '1' : spread(ratios(name), 2),
      name === baseline ? '' : '≤ 1.2',
    ]),
    notes: [
      `CPU time of the service over ${runs} runs of ${callsPerRun} calls, 50 at once, median of ${rounds} rounds with their range. It has all that a run costs, its writes and its API too.`,
      `The largest median ratio is ${Math.max(...Object.keys(adapters).map((name) => median(ratios(name)))).toFixed(2)}.`,
    ],
  })
}

function readOptions(args) {
  const options = { ...defaults }
  for (const arg of args) {
    const [name, value] = arg.split('=')
    if (!(name in defaults) || value === undefined) {
      throw new Error(`Unknown option ${arg}. Options: ${Object.keys(defaults).join('=, ')}=.`)
    }
    options[name] = Number(value)
  }
  return options
}

async function cpuPerCall({ format, model, variables }, runs) {
  const provider = await startProcess('./serve-strict-provider.mjs', { args: [format] })
  const service = await startProcess('./serve.mjs', {
    args: [JSON.stringify({ executes: true })],
    env: {
      RUNWRIGHT_MODEL: model,
      [`${variables}_BASE_URL`]: provider.url,
      [`${variables}_API_KEY`]: 'sk-bench',
      RUNWRIGHT_WORKER_CONCURRENCY: '50',
    },
  })
  try {
    await execute(service, warmUpRuns)
    const calls = await ask(provider, { what: 'calls' })
    const before = await ask(service, { what: 'cpu' })
    await execute(service, runs)
    const after = await ask(service, { what: 'cpu' })
    const made = (await acceptedCalls(provider)) - calls
    return (after.user + after.system - before.user - before.system) / 1000 / made
  } finally {
    await service.stop()
    await provider.stop()
  }
}

async function execute(service, runs) {
  await createRuns(service, runs)
  await ask(service, { what: 'drained' }, 300)
}

/** Throws if a call was refused: it would be made again, and the figures would compare different work. */
async function acceptedCalls(provider) {
  const refusals = await ask(provider, { what: 'refusals' })
  if (refusals.length > 0) throw new Error(`the provider refused ${refusals.length}: ${JSON.stringify(refusals[0])}`)
  return ask(provider, { what: 'calls' })
}
