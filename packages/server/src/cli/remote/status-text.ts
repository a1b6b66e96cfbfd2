// The status of a run in words: a run that awaits input is `running` on the wire.
import type { ListedRun, RunDetail } from '@runwright/client'

export const statusText = ({
  status,
  awaiting_input,
}: Pick<ListedRun | RunDetail, 'status' | 'awaiting_input'>): string => (awaiting_input ? 'awaiting_input' : status)
