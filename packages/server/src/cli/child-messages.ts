// What several processes and their parent tell each other. A child asks when it is able to hear the answer.
import type { ConnectionOptions } from '../store/postgres/database.ts'

export type FromChild =
  | { readonly what: 'started' }
  /** Without an address it does not listen. */
  | { readonly what: 'ready'; readonly address: string | undefined }

/** The answer to `started`. */
export interface FromParent {
  readonly connection: ConnectionOptions
}
