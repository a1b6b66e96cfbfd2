// The message after startup: the addresses, the model, the data folder, how to sign in, what to try, and the first API
// key.
import type { Settings } from '../../runtime/settings/settings.ts'
import { commandLine } from '../output/command-line.ts'

interface Welcome {
  /** Undefined if this process does not serve HTTP. */
  readonly address: string | undefined
  readonly settings: Settings
  readonly firstKey: string | undefined
  /** Where the API key of this machine is kept; undefined if it has none. */
  readonly keyFile: string | undefined
  readonly signInLink: string | undefined
  readonly embedded: boolean
  readonly executes: boolean
}

export function welcome(facts: Welcome): string {
  const { address, settings, firstKey, keyFile, signInLink, embedded, executes } = facts
  const { dataDir } = settings.database
  const lines = [
    '',
    'Runwright is ready.',
    ...(address ? [`  API      ${address}`, `  Console  ${address}/console`, `  Docs     ${address}/docs`] : []),
    ...(executes ? [`  Model    ${modelLine(settings)}`] : ['  Model    none (this process does not execute runs)']),
    `  Data     ${embedded ? `${dataDir} (embedded PostgreSQL)` : 'the database of DATABASE_URL'}`,
    ...(keyFile ? [`  API key  ${keyFile} (only you can read it)`] : []),
    ...(signInLink ? linkLines(signInLink) : []),
    ...(keyFile && address && executes ? ['', `Try it:  ${commandLine('run --example approval')}`] : []),
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

const linkLines = (link: string): string[] => [
  '',
  'Sign in to the console (once, within 5 minutes, on this machine):',
  `  ${link}`,
]

const keyLines = (key: string, address: string): string[] => [
  '',
  'Your API key (shown only once):',
  `  ${key}`,
  '',
  'Create a run with it:',
  `  curl -s ${address}/v1/runs -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
  `    -H 'idempotency-key: say-hello' -d '{"input":{"goal":"Say hello"},"metadata":{}}'`,
]
