// The filter of the list, as it stands in the URL. What is not valid is ignored.
import { type RunStatus, runStatuses } from '@runwright/contract'

export interface RunFilter {
  readonly status?: RunStatus
  readonly awaiting_input?: 'true'
  readonly workspace_id?: string
}

const isStatus = (word: unknown): word is RunStatus => (runStatuses as readonly unknown[]).includes(word)

export const runFilterOf = ({ status, awaiting_input, workspace_id }: Record<string, unknown>): RunFilter => ({
  ...(isStatus(status) && { status }),
  ...(awaiting_input === 'true' && { awaiting_input }),
  ...(typeof workspace_id === 'string' && workspace_id !== '' && { workspace_id }),
})
