// Builds of the service with a defect on purpose: a checker that reports none of them would prove nothing.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from './schedule.ts'

const server = join(import.meta.dirname, '../../..')

interface Plant {
  readonly what: string
  /** In the built code: each text that is found, in one file, is replaced. */
  readonly edits: readonly (readonly [find: string, replacement: string])[]
  /** The faults under which the defect shows. */
  readonly scenario: Scenario
  /** Rules of which at least one must be broken. */
  readonly rules: readonly string[]
}

export const plants = {
  epoch: {
    what: 'a worker that lost its lease goes on and can still write',
    edits: [
      ['l.epoch <> c.epoch or coalesce(l.worker_id <> c.held_by, c.held_by is not null)', 'false'],
      ['giveUpAll() {', 'giveUpAll() {\n\t\treturn;'],
      ['async giveUpOverdue() {', 'async giveUpOverdue() {\n\t\treturn;'],
      ['held.run.lost();', ''],
      // Without this, a run that it does not hold waits before its next call, which never leaves.
      ['isHeld() {', 'isHeld() {\n\t\treturn true;'],
    ],
    scenario: 'freeze',
    rules: ['the invariants hold', 'histories are linearizable', 'every run ends well', 'a once call is made once'],
  },
  key: {
    what: 'the idempotency key of a create is ignored',
    edits: [['kind: "key",\n\t\tkey: value', 'kind: "key",\n\t\tkey: value + Math.random()']],
    scenario: 'none',
    rules: ['a create is one run'],
  },
  signal: {
    what: 'each fifth signal is acknowledged and lost',
    edits: [
      [
        'const outcome = await runLog.apply(signalChange(seen, {',
        'if (Math.random() < 0.2) return;\n\tconst outcome = await runLog.apply(signalChange(seen, {',
      ],
    ],
    scenario: 'none',
    rules: ['histories are linearizable'],
  },
  once: {
    what: 'a `once` call whose outcome is unknown is made again',
    edits: [
      [
        'if (begun?.effect === "once" && options.begunBefore.has(call.callId)) return makeUnknown',
        'if (false) return makeUnknown',
      ],
    ],
    scenario: 'kill',
    rules: ['a once call is made once', 'the shop ends in the right state'],
  },
  stream: {
    what: 'a stream skips one event of a hundred',
    edits: [
      [
        'const taken = this.#options.deliver(events);',
        'this.#options.deliver(events.filter(() => Math.random() > 0.01));\n\t\tconst taken = events.length;',
      ],
    ],
    scenario: 'none',
    rules: ['histories are linearizable'],
  },
} as const satisfies Record<string, Plant>
export type PlantName = keyof typeof plants

/** Copies the build, changes it, and returns its program. */
export function plant(name: PlantName): string {
  const folder = join(server, 'node_modules/.cache/runwright-planted', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(server, part), join(folder, part), { recursive: true, preserveTimestamps: true })
  }
  for (const [find, replacement] of plants[name].edits) edit(join(folder, 'dist/bundle'), find, replacement)
  return join(folder, 'bin/runwright.mjs')
}

function edit(bundle: string, find: string, replacement: string): void {
  const files = readdirSync(bundle, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  const found = files.filter((file) => readFileSync(join(bundle, file), 'utf8').includes(find))
  const [file] = found
  if (file === undefined || found.length > 1) throw new Error(`${found.length} files of the build have ${find}`)
  const text = readFileSync(join(bundle, file), 'utf8')
  writeFileSync(
    join(bundle, file),
    text.replace(find, () => replacement),
  )
}
