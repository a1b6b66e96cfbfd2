// Connections to PostgreSQL: pools with timeouts, retries of whole statements after a transient fault, transactions.
import pg from 'pg'
import { backoffMs, sleep } from '../../runtime/backoff.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { type BatchStatement, toStatement } from './batch-query.ts'
import {
  blameProcess,
  breaksConnection,
  DatabaseUnavailableError,
  isAmbiguous,
  isCancelled,
  isPoolFull,
  isReadOnly,
  isTimeout,
  isTransient,
  PoolFullError,
  QueryTooExpensiveError,
  type WriteProblem,
  writeProblemOf,
} from './errors.ts'
import { type Outage, OutageWatch } from './outage-watch.ts'
import { Primary } from './primary.ts'
import { clientClass, type ServerClient } from './server-client.ts'
import type { ConnectionOptions } from './server-list.ts'
import { ServerSilence } from './server-silence.ts'
import { SharedConnection } from './shared-connection.ts'

export type { ConnectionOptions }

export interface Statement {
  /** Named statements are prepared once per connection. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
  /** How long to wait for the answer, if less than the timeout of the connection. */
  readonly timeoutMs?: number
}

export type Row = Record<string, unknown>

// int8 is read as a number: counts and token totals stay far below 2^53. json is read as text: payloads are sent on
// unchanged.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.JSON) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

// Statements take milliseconds. Where the server compiles them, which is the default, a claim took 200 ms.
const everySession = { jit: 'off' } as const

export interface DatabaseOptions {
  readonly connection: ConnectionOptions
  readonly maxConnections: number
  readonly applicationName: string
  readonly statementTimeoutMs?: number
  /** A statement that takes longer is refused with a `QueryTooExpensiveError`, instead of being sent again. */
  readonly refusesLongReads?: boolean
  readonly connectTimeoutMs?: number
  /**
   * All statements share one connection. Each is sent without waiting for the answers to earlier ones; the server
   * executes them in order. Each is its own transaction: `transaction` is not available.
   */
  readonly pipeline?: boolean
  /** Keeps connections open that are not in use: a busy process takes seconds to open one. */
  readonly keepsConnections?: boolean
  /** Set on every connection before its first statement. */
  readonly session?: Readonly<Record<string, string>>
  /** Called each time a statement is refused for such a reason. */
  readonly onTrouble?: ((trouble: DatabaseTrouble) => void) | undefined
}

/** What an operator has to look after. */
export type DatabaseTrouble = WriteProblem | 'pool_full'

export interface ConnectionUse {
  readonly busy: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

/** How long a statement is retried while the database is unavailable. */
export interface RetryBudget {
  readonly ms: number
  /** The limit when it is unknown whether an earlier attempt was committed. */
  readonly ambiguousMs: number
}

const defaultStatementTimeoutMs = 15_000

export const defaultRetryBudget: RetryBudget = { ms: 5_000, ambiguousMs: 20_000 }

export class Database {
  readonly #pool: pg.Pool
  readonly #shared: SharedConnection | undefined
  readonly #outages = new OutageWatch()
  readonly #primary: Primary
  readonly #clients = new Set<ServerClient>()
  readonly #unsubscribe: () => void
  readonly options: DatabaseOptions

  constructor(options: DatabaseOptions) {
    this.options = options
    this.#primary = Primary.of(options.connection)
    this.#pool = this.#createPool(options)
    this.#shared = options.pipeline ? new SharedConnection(() => this.#connect()) : undefined
    this.#unsubscribe = this.#primary.subscribe((server) => {
      for (const client of this.#clients) if (client.server !== server) client.drop()
    })
  }

  #createPool(options: DatabaseOptions): pg.Pool {
    const { statementTimeoutMs = defaultStatementTimeoutMs } = options
    const pool = new pg.Pool({
      ...options.connection,
      Client: clientClass(this.#primary),
      max: options.pipeline ? 1 : options.maxConnections,
      pipeline: options.pipeline ?? false,
      application_name: options.applicationName,
      connectionTimeoutMillis: options.connectTimeoutMs ?? this.#primary.connectTimeoutMs,
      query_timeout: statementTimeoutMs + 2_000,
      idleTimeoutMillis: options.keepsConnections ? 0 : 60_000,
      keepAlive: true,
      types,
      verify: (client, done) => this.#prepare(client).then(() => done(), done),
    })
    // The pool replaces a broken connection, and its pending queries are rejected: these events need no other handling.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => {
      client.on('error', () => undefined)
      this.#clients.add(asServerClient(client))
    })
    pool.on('remove', (client) => this.#clients.delete(asServerClient(client)))
    return pool
  }

  #prepare(client: pg.PoolClient): Promise<void> {
    const { statementTimeoutMs = defaultStatementTimeoutMs } = this.options
    // Not as a parameter of the start: PgBouncer refuses it, also in session mode.
    const session = { ...everySession, statement_timeout: statementTimeoutMs, ...this.options.session }
    const settings = Object.entries(session).map(([name, value]) => `set ${name} = ${value}`)
    return this.#primary.prepare(client, asServerClient(client).server, settings)
  }

  /** Opens all connections now, so that the first statements of a burst do not wait for them. */
  async connect(): Promise<void> {
    const { max = 1 } = this.#pool.options
    const clients = await Promise.all(Array.from({ length: max }, () => this.#connect()))
    for (const client of clients) client.release()
  }

  /** Runs one statement once. */
  async run<R extends Row = Row>(statement: Statement): Promise<R[]> {
    return this.withConnection(async (client) => (await client.query(toQuery(statement))).rows as R[])
  }

  /** Runs a statement over many items once. */
  runBatch<R extends Row, Item = never>(statement: BatchStatement<Item>, items: readonly Item[]): Promise<R[]> {
    return this.run<R>(toStatement(statement, items))
  }

  /** Runs one statement, and retries it after a transient fault. For reads and for idempotent writes. */
  async query<R extends Row = Row>(statement: Statement, retryBudget: RetryBudget = defaultRetryBudget): Promise<R[]> {
    return withRetry(() => this.run<R>(statement), retryBudget)
  }

  /** Runs several statements in one transaction, once. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#shared) throw new Error('a pipelined connection has no transactions')
    return this.withConnection(async (client) => {
      await client.query('begin')
      try {
        const result = await work(client)
        await client.query('commit')
        return result
      } catch (error) {
        if (!breaksConnection(error)) await client.query('rollback')
        throw error
      }
    })
  }

  /** How its connections are used now. */
  get connections(): ConnectionUse {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool
    return { busy: open - idle, idle, waiting }
  }

  /** The last time at which the database could not be reached; undefined if there was none. */
  get lastOutage(): Outage | undefined {
    return this.#outages.last
  }

  async withConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const watched = (client: pg.PoolClient) => work(client).catch((error: unknown) => this.#noteReadOnly(client, error))
    return this.#outages.watch(() =>
      this.#heed(() => (this.#shared ? this.#shared.use(watched) : this.#withOwnConnection(watched))),
    )
  }

  async #heed<T>(work: () => Promise<T>): Promise<T> {
    const silence = this.listen()
    try {
      const result = await work()
      this.#primary.noteAnswer()
      return result
    } catch (error) {
      this.#noteTrouble(error)
      throw isTimeout(error) && !silence.isCertain ? blameProcess(error) : error
    }
  }

  #noteTrouble(error: unknown): void {
    const problem = writeProblemOf(error)
    if (problem) this.#primary.noteWriteProblem(problem)
    const trouble = error instanceof PoolFullError ? 'pool_full' : problem
    if (trouble) this.options.onTrouble?.(trouble)
  }

  /** Whether the server answers, whatever the connections of this pool do. */
  answers(): Promise<boolean> {
    return this.#primary.answers()
  }

  /** What any pool of this process was told about writes. */
  get writes(): Pick<Primary, 'writeProblem' | 'recentWriteProblem' | 'noteWriteProblem'> {
    return this.#primary
  }

  /** Whether the server is silent from now on. */
  listen(): ServerSilence {
    return new ServerSilence(this.#primary)
  }

  /** The server has become a standby: the next connection goes to another one. */
  #noteReadOnly(client: pg.PoolClient, error: unknown): never {
    if (isReadOnly(error)) this.#primary.leave(asServerClient(client).server)
    throw error
  }

  async #withOwnConnection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = breaksConnection(error)
      throw this.options.refusesLongReads && isCancelled(error) ? new QueryTooExpensiveError(error) : error
    } finally {
      client.release(broken)
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const silence = this.listen()
    try {
      return await this.#primary.connect(() => this.#pool.connect())
    } catch (error) {
      // Trying again does not help.
      if (error instanceof SettingsError) throw error
      // Whatever the reason, no statement has been sent. A pool is also full of connections that are being opened: only
      // an answer of the server tells whether they wait for it or for statements of this process.
      const isFull = isPoolFull(error) && (!silence.isCertain || (await this.#primary.answers()))
      throw isFull ? new PoolFullError(error) : new DatabaseUnavailableError(error)
    }
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#pool.end()
  }
}

/** The pool creates its connections with `clientClass`. */
const asServerClient = (client: pg.PoolClient): ServerClient => client as unknown as ServerClient

const toQuery = ({ name, text, values, timeoutMs }: Statement): pg.QueryConfig => ({
  text,
  ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }),
  ...(name === undefined ? {} : { name }),
  ...(values === undefined ? {} : { values: [...values] }),
})

/** Retries `attempt` after transient faults, with growing pauses, until the budget is spent. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  retryBudget: RetryBudget = defaultRetryBudget,
): Promise<T> {
  const start = performance.now()
  let outcomeUnknown = false
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error)) throw error
      outcomeUnknown ||= isAmbiguous(error)
      const spent = performance.now() - start
      // A process that was paused finds its timers run out, and the answer behind them: one timeout proves nothing.
      const mayHavePaused = tries === 0 && isTimeout(error)
      if (spent > (outcomeUnknown ? retryBudget.ambiguousMs : retryBudget.ms) && !mayHavePaused) {
        throw withOutcome(error, outcomeUnknown)
      }
      await sleep(backoffMs(tries, { firstMs: 20, maxMs: 1_000 }))
    }
  }
}

function withOutcome(error: unknown, outcomeUnknown: boolean): DatabaseUnavailableError {
  if (!(error instanceof DatabaseUnavailableError)) return new DatabaseUnavailableError(error, outcomeUnknown)
  return error.outcomeUnknown === outcomeUnknown ? error : new DatabaseUnavailableError(error.cause, outcomeUnknown)
}
