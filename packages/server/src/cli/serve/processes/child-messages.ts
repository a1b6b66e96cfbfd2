// What several processes and their parent tell each other. A child asks once it can receive the answer.
import type { ConnectionOptions } from '../../../store/postgres/database.ts'
import type { MetricValues } from '../../../telemetry/metrics.ts'

export type FromChild =
  | { readonly kind: 'started' }
  /** Without an address it does not listen. */
  | { readonly kind: 'ready'; readonly address: string | undefined }
  | { readonly kind: 'metrics'; readonly id: number; readonly values: MetricValues }

export type FromParent =
  /** The answer to `started`. */
  | { readonly kind: 'connection'; readonly connection: ConnectionOptions }
  /** Asks for `metrics` with the same id. */
  | { readonly kind: 'read_metrics'; readonly id: number }
