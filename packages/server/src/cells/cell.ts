// A cell: an installation with a database of its own. Its workers and API processes know no other cell.
import type { Database } from '../store/postgres/database.ts'
import type { SealingKeys } from '../store/sealed/sealing-keys.ts'

export interface CellAddress {
  readonly name: string
  /** Of its API. */
  readonly url: string
  /** `postgres://…` */
  readonly database: string
}

/** A cell that is open for a command of the operator. */
export interface OpenCell {
  readonly name: string
  readonly database: Database
  readonly sealing: SealingKeys
}
