// What all processes of the service measured in some minutes. Null: it was not measured.
export interface HistoryPoint {
  readonly at: string
  readonly requests: number
  readonly errors: number
  readonly latency_ms: number | null
  readonly busy_places: number | null
  readonly places: number | null
  readonly queued: number | null
  readonly queue_seconds: number | null
}
