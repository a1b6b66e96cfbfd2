// Holds back one write of a service at a chosen row, so that a test can kill the process exactly there. The write then
// never happens, or it happens although its process is dead.
import type { Database } from '../../src/store/postgres/database.ts'

interface Watched {
  readonly table: 'event_rows' | 'journal' | 'votes'
  /** Compared with the pattern of `arm`. */
  readonly column: 'seq' | 'key' | 'nth'
}

export class KillPoint {
  readonly #database: Database
  readonly #watched: Watched
  #free: () => void = () => undefined
  #held: Promise<void> | undefined

  constructor(database: Database, watched: Watched) {
    this.#database = database
    this.#watched = watched
  }

  async install(): Promise<void> {
    const { table, column } = this.#watched
    await this.#database.run({
      text: `
create table kill_point (pattern text);
create function hold_at_kill_point() returns trigger language plpgsql as $$
begin
  if exists (select from kill_point where new.${column}::text like pattern) then
    perform pg_advisory_xact_lock_shared(4711);
  end if;
  return new;
end $$;
create trigger hold before insert on ${table} for each row execute function hold_at_kill_point()`,
    })
  }

  /** From now on, a write of a row that is like the pattern waits. */
  async arm(pattern: string): Promise<void> {
    await this.#lock()
    await this.#database.run({ text: 'insert into kill_point values ($1)', values: [pattern] })
  }

  async isReached(): Promise<boolean> {
    return (await this.#waiting()).length > 0
  }

  /** The write that was held back never happens. */
  async cutOff(): Promise<void> {
    await this.#database.run({ text: 'delete from kill_point' })
    for (const pid of await this.#waiting()) {
      await this.#database.run({ text: 'select pg_terminate_backend($1, 5000)', values: [pid] })
    }
    await this.remove()
  }

  /** The write that was held back happens now. */
  async letGo(): Promise<void> {
    await this.#database.run({ text: 'delete from kill_point' })
    await this.remove()
  }

  async remove(): Promise<void> {
    this.#free()
    await this.#held
    this.#held = undefined
  }

  #lock(): Promise<void> {
    return new Promise((locked, failed) => {
      this.#held = this.#database.withConnection(async (client) => {
        await client.query('select pg_advisory_lock(4711)')
        locked()
        await new Promise<void>((free) => {
          this.#free = free
        })
        await client.query('select pg_advisory_unlock(4711)')
      })
      this.#held.catch(failed)
    })
  }

  async #waiting(): Promise<number[]> {
    const rows = await this.#database.run<{ pid: number }>({
      text: `
select l.pid
from pg_locks l
join pg_database d on d.oid = l.database
where d.datname = current_database() and l.locktype = 'advisory' and l.objid = 4711 and not l.granted`,
    })
    return rows.map(({ pid }) => pid)
  }
}
