// Finds the server that accepts writes. All pools of a process that were opened with the same connection share what one
// of them has found. When it is another server than before, connections to the one before are dropped: statements that
// hang there fail and are sent again, and nothing is read from a server that has been replaced.
import pg from 'pg'
import { isPoolFull, isSqlState, type WriteProblem } from './errors.ts'
import { type ConnectionOptions, listServers, type Server, type ServerList } from './server-list.ts'

const known = new WeakMap<ConnectionOptions, Primary>()

export class Primary {
  readonly #list: ServerList
  readonly #listeners = new Set<(server: Server) => void>()
  #index = 0
  #found: Server | undefined
  #answeredAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined
  #refusal: { readonly problem: WriteProblem; readonly at: number } | undefined

  static of(connection: ConnectionOptions): Primary {
    const primary = known.get(connection) ?? new Primary(listServers(connection))
    known.set(connection, primary)
    return primary
  }

  private constructor(list: ServerList) {
    this.#list = list
  }

  /** The server to connect to: the one that was found last, or the next to try. */
  get current(): Server {
    return this.#list.servers[this.#index] as Server
  }

  /** When a statement of any pool was last answered. */
  get answeredAt(): number {
    return this.#answeredAt
  }

  noteAnswer(): void {
    this.#answeredAt = performance.now()
  }

  /** Asks the server on a connection of its own: whether it answers, when the connections of a pool are all in use. */
  answers(): Promise<boolean> {
    this.#asking ??= isAnswering(this.current).finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** Why the last write was refused, unless it was found that writes are accepted again. */
  get writeProblem(): WriteProblem | undefined {
    return this.#refusal?.problem
  }

  /** The same, if that was a moment ago: writes are tried again at least once a second. */
  get recentWriteProblem(): WriteProblem | undefined {
    return this.#refusal && performance.now() - this.#refusal.at < 5_000 ? this.#refusal.problem : undefined
  }

  noteWriteProblem(problem: WriteProblem | undefined): void {
    this.#refusal = problem && { problem, at: performance.now() }
  }

  get hasSeveral(): boolean {
    return this.#list.servers.length > 1
  }

  /** With several servers, one that does not answer must not take the time to find another. */
  get connectTimeoutMs(): number {
    return this.hasSeveral ? 2_000 : 5_000
  }

  /** Connects to the current server, and if that fails, to each of the others. */
  async connect<T>(open: (server: Server) => Promise<T>): Promise<T> {
    if (!this.hasSeveral) return open(this.current)
    const problems: string[] = []
    for (const _ of this.#list.servers) {
      const server = this.current
      try {
        return await open(server)
      } catch (error) {
        if (isPoolFull(error)) throw error
        // A name with several addresses gives an error without a message.
        const { message, code } = error as NodeJS.ErrnoException
        problems.push(`${server.name}: ${message || code}`)
        this.leave(server)
      }
    }
    throw new Error(problems.join('; '))
  }

  /** Goes on to the next server, unless that has happened already. */
  leave(server: Server): void {
    if (server === this.current) this.#index = (this.#index + 1) % this.#list.servers.length
  }

  /** Prepares a new connection: its settings, and whether its server accepts writes. Takes one round trip. */
  async prepare(client: pg.ClientBase, server: Server, statements: readonly string[]): Promise<void> {
    const { mustAcceptWrites } = this.#list
    const question = "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only"
    const text = [...statements, ...(mustAcceptWrites ? [question] : [])].join('; ')
    if (text === '') return
    const results = [await client.query(text)].flat() as pg.QueryResult[]
    if (!mustAcceptWrites) return
    if (results.at(-1)?.rows[0]?.is_read_only) throw new Error('the server is read-only')
    this.#note(server)
  }

  #note(server: Server): void {
    if (server === this.#found) return
    this.#found = server
    for (const listener of this.#listeners) listener(server)
  }

  /** Calls `listener` when another server was found. Returns how to stop that. */
  subscribe(listener: (server: Server) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const askWithinMs = 1_500

async function isAnswering({ connection }: Server): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: askWithinMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    // Too many connections is an answer. 57: it is starting or shutting down.
    return isSqlState(error) && !error.code.startsWith('57')
  } finally {
    await client.end().catch(() => undefined)
  }
}
