// Finds the agent of a run: for the runs, and for what is left of their usage when they are removed.
import { lookUp } from '../postgres/look-up.ts'

/** The condition that joins the journal `j` to a run: its entry says with which agent the run began. */
export const beganWith = ({ customerId, runId }: { readonly customerId: string; readonly runId: string }): string =>
  `${lookUp({ 'j.customer_id': customerId, 'j.run_id': runId })} and j.key = 'agents:run'`
