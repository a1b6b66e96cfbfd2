// What several processes and their parent tell each other. A child asks once it can receive the answer.
import type { ConnectionOptions } from '../../../store/postgres/database.ts'
import type { MetricValues } from '../../../telemetry/metrics.ts'

export type FromChild =
  | { readonly what: 'started' }
  /** Without an address it does not listen. */
  | { readonly what: 'ready'; readonly address: string | undefined }
  | { readonly what: 'metrics'; readonly id: number; readonly values: MetricValues }

export type FromParent =
  /** The answer to `started`. */
  | { readonly what: 'connection'; readonly connection: ConnectionOptions }
  /** Asks for `metrics` with the same id. */
  | { readonly what: 'read metrics'; readonly id: number }
