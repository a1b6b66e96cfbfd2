// @ts-check
// The layers of packages/server/src, from the top. A folder imports only from lower layers, and never from another
// folder of its own. packages/server/test/architecture.test.ts checks it, and the docs show it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './setup.mjs'

/** @type {Readonly<Record<string, string>>[]} */
export const layers = [
  { cli: 'the commands, one file each' },
  { evals: '`runwright eval`: cases, checks, worlds, trials, reports; uses the service as a client does' },
  { 'app.ts': 'composition root: connects the parts, starts and stops them' },
  { app: 'the parts of a process: core (what every process has), api, worker' },
  { telemetry: 'metrics and traces: what the layers below tell' },
  {
    http: 'requests, streams and pages',
    engine: 'claims and executes runs, renews leases',
    maintenance: 'periodic jobs, each a `runOnce()`',
  },
  {
    schedules: 'runs by the clock: the plan of their times, and the job that creates them',
    retention: 'what is deleted and when: delete, erase, trim, remove, forget',
  },
  {
    runs: 'create, command, signal: each one change to the log',
    agents: 'planner, worker, judge: rules and prompts',
    access: 'API keys: authenticate, create, rotate, revoke',
    cells: 'the gate in front of several installations, and moves between them',
    webhooks: 'sends events to endpoints of customers',
  },
  {
    events: 'hub, feed and wake-ups',
    models: 'what a model is, the sandbox, providers',
    tools: 'what a tool is, the policy, built-in tools, MCP servers, own tools',
    memory: 'notes of runs: save, search, export',
  },
  { store: 'the only SQL' },
  { domain: 'pure rules', runtime: 'clock, ids, logger, settings, secrets, threads' },
]

/** @param {string} folder */
function roomsOf(folder) {
  if (folder.endsWith('.ts')) return []
  return readdirSync(join(projectRoot, 'packages/server/src', folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}/`)
    .sort()
}

const [numberWidth, nameWidth, lineLength] = [4, 14, 110]

/**
 * As a block of text, with the folders in each folder if `withRooms` is set.
 * @param {{ withRooms: boolean }} options
 */
export function renderLayers({ withRooms }) {
  const lines = layers.flatMap((layer, index) =>
    Object.entries(layer).flatMap(([folder, text], place) => [
      start(place === 0 ? String(layers.length - index) : '', folder) + text,
      ...(withRooms ? wrap(roomsOf(folder)) : []),
    ]),
  )
  return ['```text', ...lines, `${start('0', 'contract')}the wire protocol as data`, '```'].join('\n')
}

/** @param {string} number @param {string} folder */
const start = (number, folder) => number.padStart(numberWidth - 2).padEnd(numberWidth) + folder.padEnd(nameWidth)

/** @param {string[]} rooms @returns {string[]} */
function wrap(rooms) {
  const indent = ' '.repeat(numberWidth + nameWidth)
  /** @type {string[]} */
  const lines = []
  for (const room of rooms) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + room.length < lineLength) lines[lines.length - 1] = `${last} ${room}`
    else lines.push(indent + room)
  }
  return lines
}

export const layerParts = () => [
  { file: 'CONTRIBUTING.md', mark: 'layers', text: renderLayers({ withRooms: false }) },
  { file: 'docs/architecture.md', mark: 'layers', text: renderLayers({ withRooms: true }) },
]
