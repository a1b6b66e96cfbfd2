// The statement that renews leases: that of the worker, and of the thread that does so while the worker is late.
import { lookUp } from '../postgres/look-up.ts'
import { leavingCustomers } from './moving-customers.ts'

export interface Renewal {
  readonly runId: string
  readonly customerId: string
  readonly epoch: number
  /** Time left for the step that must end first; undefined when no step is running. */
  readonly stepMs: number | undefined
}

export interface RenewedLease {
  /** The customer leaves for another cell: the run is to be handed over after its current steps. */
  readonly isLeaving: boolean
}

export interface RenewedRow extends Record<string, unknown> {
  readonly id: string
  readonly leaving: boolean
}

/** A healthy worker ends an overdue step itself; the sweep waits a little longer. */
const stepGraceMs = 1_000

export const renewStatement = `
update runs r
set lease_until = clock_timestamp() + $2::double precision * interval '1 ms',
  step_until = clock_timestamp() + held.step_ms * interval '1 ms'
from unnest($3::text[], $4::uuid[], $5::integer[], $6::double precision[]) as held(customer_id, id, epoch, step_ms)
where ${lookUp({ 'r.customer_id': 'held.customer_id', 'r.id': 'held.id' })}
  and r.epoch = held.epoch
  and r.worker_id = $1::uuid
returning r.id, r.customer_id in (${leavingCustomers}) as leaving`

/** As the statement takes them. The last ones are the milliseconds that are left for steps. */
export type RenewalValues = [
  workerId: string,
  leaseMs: number,
  customerIds: string[],
  runIds: string[],
  epochs: number[],
  stepMs: (number | null)[],
]

export const renewalValues = (
  runs: readonly Renewal[],
  { workerId, leaseMs }: { readonly workerId: string; readonly leaseMs: number },
): RenewalValues => [
  workerId,
  leaseMs,
  runs.map(({ customerId }) => customerId),
  runs.map(({ runId }) => runId),
  runs.map(({ epoch }) => epoch),
  runs.map(({ stepMs }) => (stepMs === undefined ? null : Math.max(0, stepMs) + stepGraceMs)),
]
