// The message after startup: the addresses, the model, the data folder, and the first API key.
import type { Settings } from '../runtime/settings/settings.ts'

interface Welcome {
  /** Undefined if this process does not serve HTTP. */
  readonly address: string | undefined
  readonly settings: Settings
  readonly firstKey: string | undefined
  readonly embedded: boolean
  readonly executes: boolean
}

export function welcome({ address, settings, firstKey, embedded, executes }: Welcome): string {
  const { dataDir } = settings.database
  const lines = [
    '',
    'Runwright is ready.',
    ...(address ? [`  API      ${address}`, `  Console  ${address}/console`, `  Docs     ${address}/docs`] : []),
    ...(executes ? [`  Model    ${modelLine(settings)}`] : ['  Model    none (this process does not execute runs)']),
    `  Data     ${embedded ? `${dataDir} (embedded PostgreSQL)` : 'the database of DATABASE_URL'}`,
    ...(firstKey ? keyLines(firstKey, address ?? 'http://127.0.0.1:8080') : []),
    '',
    'Press Ctrl-C to stop.',
  ]
  return lines.join('\n')
}

function modelLine({ models: { planner, worker, judge }, cassettes: { replayDir } }: Settings): string {
  if (replayDir !== undefined) return `none is called: runs are replayed from ${replayDir}`
  const roles = { planner, worker, judge }
  const names = [...new Set(Object.values(roles))]
  const [name] = names
  if (names.length === 1 && name === 'sandbox')
    return 'sandbox (scripted, for testing; set RUNWRIGHT_MODEL to use a real model)'
  return names.length === 1 && name
    ? name
    : Object.entries(roles)
        .map(([role, model]) => `${role}: ${model}`)
        .join(', ')
}

const keyLines = (key: string, address: string): string[] => [
  '',
  'Your API key (shown only once):',
  `  ${key}`,
  '',
  'Create a run with it:',
  `  curl -s ${address}/v1/runs -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
  `    -H 'idempotency-key: first-run' -d '{"input":{"goal":"Say hello"},"metadata":{}}'`,
]
