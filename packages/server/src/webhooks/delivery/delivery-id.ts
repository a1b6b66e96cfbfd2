// The id of a message to a webhook: the run and the seq of its event. It is equal on every attempt, and so receivers
// can tell repeated messages.
import { fromWireId, toWireId } from '../../runtime/ids.ts'

export interface MessageKey {
  readonly runId: string
  readonly seq: number
}

export const deliveryIdOf = ({ runId, seq }: MessageKey): string => `${toWireId('run', runId)}_${seq}`

const form = /^(run_[0-9a-z]{26})_([1-9]\d{0,8})$/

/** Undefined if it is malformed. */
export function parseDeliveryId(text: string): MessageKey | undefined {
  const [, wireId = '', seq] = form.exec(text) ?? []
  const runId = fromWireId('run', wireId)
  return runId === undefined ? undefined : { runId, seq: Number(seq) }
}
