// Builds of the service with a defect on purpose: a checker that reports none of them would prove nothing.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from './schedule.ts'

const server = join(import.meta.dirname, '../../..')

interface Plant {
  readonly what: string
  /** In the built code. */
  readonly find: string
  readonly replace: string
  /** The faults under which the defect shows. */
  readonly scenario: Scenario
  /** Rules of which at least one must be broken. */
  readonly rules: readonly string[]
}

export const plants = {
  epoch: {
    what: 'a worker that lost its lease can still write',
    find: `l.epoch <> c.epoch or coalesce(l.worker_id <> c.held_by, c.held_by is not null)`,
    replace: 'false',
    scenario: 'pause',
    rules: ['the invariants hold', 'histories are linearizable', 'every run ends well', 'a once call is made once'],
  },
  key: {
    what: 'the idempotency key of a create is ignored',
    find: `kind: "key",\n\t\tkey: value`,
    replace: `kind: "key",\n\t\tkey: value + Math.random()`,
    scenario: 'none',
    rules: ['a create is one run'],
  },
  signal: {
    what: 'each fifth signal is acknowledged and lost',
    find: 'const outcome = await runLog.apply(signalChange(kept, bodyHash));',
    replace: `if (Math.random() < 0.2) return;\n\tconst outcome = await runLog.apply(signalChange(kept, bodyHash));`,
    scenario: 'none',
    rules: ['histories are linearizable'],
  },
  once: {
    what: 'a once call whose outcome is unknown is made again',
    find: 'if (begun?.effect === "once" && options.begunBefore.has(call.callId)) return makeUnknown',
    replace: 'if (false) return makeUnknown',
    scenario: 'kill',
    rules: ['a once call is made once', 'the shop ends in the right state'],
  },
  stream: {
    what: 'a stream does not notice a gap',
    find: 'next?.seq === this.#last + 1',
    replace: 'next?.seq > this.#last',
    scenario: 'none',
    rules: ['histories are linearizable'],
  },
} as const satisfies Record<string, Plant>
export type PlantName = keyof typeof plants

/** Copies the build, changes it, and returns its program. */
export function plant(name: PlantName): string {
  const { find, replace } = plants[name]
  const folder = join(server, 'node_modules/.cache/runwright-planted', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(server, part), join(folder, part), { recursive: true, preserveTimestamps: true })
  }
  const bundle = join(folder, 'dist/bundle')
  const files = readdirSync(bundle).filter((file) => file.endsWith('.js'))
  const changed = files.filter((file) => {
    const text = readFileSync(join(bundle, file), 'utf8')
    if (text.includes(find))
      writeFileSync(
        join(bundle, file),
        text.replace(find, () => replace),
      )
    return text.includes(find)
  })
  if (changed.length !== 1) throw new Error(`${name}: ${changed.length} files of the build have ${find}`)
  return join(folder, 'bin/runwright.mjs')
}
