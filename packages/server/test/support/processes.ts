// Real processes of the built service on one database, for tests that kill, stop and restart them.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromWireId } from '../../src/runtime/ids.ts'
import type { ConnectionOptions, Database } from '../../src/store/postgres/database.ts'
import { freshDatabase } from './database.ts'
import { Caller } from './http.ts'
import { Occurrences } from './occurrences.ts'

const program = join(import.meta.dirname, '../../bin/runwright.mjs')
const startWithinMs = 60_000

export type Part = 'start' | 'api' | 'worker' | 'gate'
export type Environment = Readonly<Record<string, string>>

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One process of the service; what it has said so far stands in `output`. */
export class ServiceProcess {
  readonly part: Part
  readonly exited: Promise<Exit>
  readonly #said = new Occurrences<string>()
  readonly #child: ChildProcess
  #exit: Exit | undefined
  #measured = 0

  constructor(part: Part, env: Environment, cwd: string, file = program) {
    this.part = part
    this.#child = spawn(process.execPath, [file, part], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#said.add(text))
    }
    this.exited = once(this.#child, 'close').then(([code, signal]) => {
      this.#exit = { code, signal }
      return this.#exit
    })
  }

  get output(): string {
    return this.#said.all.join('')
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.part} has not been started`)
    return this.#child.pid
  }

  get isAlive(): boolean {
    return this.#exit === undefined
  }

  /** Where it listens, as it says itself. */
  get url(): string {
    const url = /^ {2}API +(\S+)$/m.exec(this.output)?.[1]
    if (url === undefined) throw new Error(`${this.part} serves no HTTP:\n${this.output}`)
    return url
  }

  async ready(): Promise<this> {
    const ready = this.says('Runwright is ready.')
    const ended = this.exited.then(() => `${this.part} ended instead of starting:\n${this.output}`)
    const late = setTimeout(() => this.signal('SIGKILL'), startWithinMs)
    const problem = await Promise.race([ready, ended])
    clearTimeout(late)
    if (problem !== undefined) throw new Error(problem)
    return this
  }

  /** Resolves once it has said this, now or before. */
  async says(words: string): Promise<void> {
    await this.#said.until(() => this.output.includes(words))
  }

  /** What it prints on SIGUSR2 behind the name: `turn-meter.mjs` and `memory-meter.mjs` do. */
  async measure(name: string): Promise<unknown> {
    this.#measured += 1
    const words = `${name} ${this.#measured}: `
    const line = () => new RegExp(`^${words}(.*)\n`, 'm').exec(this.output)?.[1]
    this.signal('SIGUSR2')
    await this.#said.until(() => line() !== undefined)
    return JSON.parse(line() ?? '')
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isAlive) this.#child.kill(signal)
  }

  /** As a power cut would: resolves when the process is gone. */
  async kill(): Promise<Exit> {
    this.signal('SIGKILL')
    return this.exited
  }

  /** In order, as an operator would. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM')
    return this.exited
  }
}

interface FleetOptions {
  /** Given to every process. */
  readonly env?: Environment
  /** Where the processes find the database, when it is not where the tests find it. */
  readonly reach?: (connection: ConnectionOptions) => Promise<ConnectionOptions>
}

/** Processes that share a database, its secrets and one API key. */
export class Fleet {
  readonly key = `key_fleet:${randomBytes(12).toString('hex')}`
  readonly secrets: Environment = {
    RUNWRIGHT_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RUNWRIGHT_KEY_PEPPER: randomBytes(32).toString('base64'),
  }
  readonly processes: ServiceProcess[] = []
  readonly #env: Environment
  readonly #folder: string
  readonly #endWithUs = () => {
    for (const process of this.processes) process.signal('SIGKILL')
  }

  constructor(folder: string, databaseUrl: string, env: Environment = {}) {
    this.#folder = folder
    this.#env = {
      ...inherited(),
      ...this.secrets,
      DATABASE_URL: databaseUrl,
      RUNWRIGHT_DATA_DIR: folder,
      RUNWRIGHT_PORT: '0',
      RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${this.key}`,
      RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0',
      ...env,
    }
    process.once('exit', this.#endWithUs)
  }

  /** Starts a process without waiting for it: of this version, or of another one that has its own file. */
  spawn(part: Part, env: Environment = {}, file = program): ServiceProcess {
    const process = new ServiceProcess(part, { ...this.#env, ...env }, this.#folder, file)
    this.processes.push(process)
    return process
  }

  start(part: Part, env: Environment = {}, file = program): Promise<ServiceProcess> {
    return this.spawn(part, env, file).ready()
  }

  caller(process: ServiceProcess): Caller {
    return new Caller(process.url, this.key)
  }

  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.kill()))
  }

  async close(): Promise<void> {
    await this.killAll()
    process.removeListener('exit', this.#endWithUs)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

export interface HostedFleet {
  readonly fleet: Fleet
  readonly database: Database
  close(): Promise<void>
}

/** A fleet on an empty database of the tests' own server: the first process that starts sets it up. */
export async function startFleet({ env, reach }: FleetOptions = {}): Promise<HostedFleet> {
  const fresh = await freshDatabase({ migrated: false })
  const connection = reach ? await reach(fresh.connection) : fresh.connection
  const fleet = new Fleet(await newFolder(), urlOf(connection), env)
  const close = async () => {
    await fleet.close()
    await fresh.drop()
  }
  return { fleet, database: fresh.database, close }
}

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'runwright-fleet-'))

/** The URL of a connection; the host may be the folder of a socket. */
export function urlOf({ host = '127.0.0.1', port = 5432, user = '', password, database }: ConnectionOptions): string {
  const secret = typeof password === 'string' && password !== '' ? `:${encodeURIComponent(password)}` : ''
  return `postgres://${encodeURIComponent(user)}${secret}@${encodeURIComponent(host)}:${port}/${database}`
}

// The fleet does not inherit the settings of the user that runs the tests.
const inherited = (): Environment =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(RUNWRIGHT_|PG|VITEST|NODE_|DATABASE_URL$)/.test(name) ? [] : [[name, value]],
    ),
  )

interface Wait {
  readonly within?: number
  /** What was waited for, told when it does not come. */
  readonly what: string | (() => string)
  readonly every?: number
}

/** Looks again and again until something is there, for a bounded time. */
export async function until<T>(look: () => T | Promise<T>, { within = 30_000, what, every = 10 }: Wait): Promise<T> {
  const deadline = performance.now() + within
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) {
      throw new Error(`not within ${within} ms: ${typeof what === 'string' ? what : what()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, every))
  }
}

/** One event of a run as it stands in the table; `change` is the same for all that one transaction wrote. */
export interface LoggedEvent {
  readonly seq: number
  readonly type: string
  readonly at: Date
  readonly change: string
  readonly payload: Readonly<Record<string, unknown>>
}

export async function eventsOf(database: Database, id: string): Promise<LoggedEvent[]> {
  const rows = await database.query<Omit<LoggedEvent, 'payload'> & { payload: string }>({
    text: `
select 1 as seq, 'run.created' as type, created_at as at, xmin::text as change, created_payload as payload
from run_inputs
where run_id = $1
union all
select seq, type, at, xmin::text, payload
from event_rows
where run_id = $1
order by seq`,
    values: [fromWireId('run', id)],
  })
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
}

export interface RunRow extends Record<string, unknown> {
  readonly state: string
  readonly worker_id: string | null
  readonly recoveries: number
  readonly alone: boolean
  readonly tokens: number
  readonly await_seq: number | null
  readonly ready_in_ms: number | null
}

export async function rowOf(database: Database, id: string): Promise<RunRow> {
  const [row] = await database.query<RunRow>({
    text: `
select state, worker_id, recoveries, alone, tokens, await_seq, extract(epoch from ready_at - updated_at)::float8 * 1000 as ready_in_ms
from runs
where id = $1`,
    values: [fromWireId('run', id)],
  })
  if (!row) throw new Error(`there is no run ${id}`)
  return row
}

export const isOver = ({ state }: { readonly state: string }): boolean =>
  ['succeeded', 'failed', 'cancelled'].includes(state)

/** Until a run, or all runs of the database, have ended. */
export const untilOver = (database: Database, id: string, within = 15_000): Promise<RunRow | undefined> =>
  until(() => rowOf(database, id).then((row) => (isOver(row) ? row : undefined)), { within, what: `the end of ${id}` })

async function countStates(database: Database): Promise<Record<string, number>> {
  const rows = await database.query<{ state: string; count: number }>({
    text: 'select state, count(*) from runs group by state',
  })
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

export async function untilAllOver(database: Database, within: number): Promise<Record<string, number>> {
  let states: Record<string, number> = {}
  const look = async () => {
    states = await countStates(database)
    return Object.keys(states).every((state) => isOver({ state }))
  }
  await until(look, { within, every: 100, what: () => `the end of all runs: ${JSON.stringify(states)}` })
  return states
}
