// The threads for schemas of a process. Requests have their own: what the output of a run makes them do does not delay
// a create.
import { SchemaThreads } from './schema-threads.ts'

export interface SchemaLanes {
  /** For creates, and for what the operator loads. */
  readonly requests: SchemaThreads
  /** For runs: their plans and outputs, and the input of tools. */
  readonly runs: SchemaThreads
  stop(): Promise<void>
}

/** Starts no thread yet. */
export function openSchemaLanes(): SchemaLanes {
  const requests = new SchemaThreads({ maxThreads: 1, maxWaiting: { perCustomer: 100, total: 1_000 } })
  const runs = new SchemaThreads({
    maxThreads: 2,
    // Whatever one customer's runs do, the other thread is left for the others.
    maxThreadsPerCustomer: 1,
    // More than the runs that a process executes at once.
    maxWaiting: { perCustomer: 10_000, total: 100_000 },
  })
  return {
    requests,
    runs,
    stop: async () => void (await Promise.all([requests.stop(), runs.stop()])),
  }
}
