// The id of a message to a webhook: the run and the seq of its event, and whether it says that a question is escalated.
// It is equal on every attempt, and so receivers can tell repeated messages.
import { type DeliveryType, escalationType } from '@runwright/contract'
import { fromWireId, toWireId } from '../../runtime/ids.ts'

export interface MessageKey {
  readonly runId: string
  readonly seq: number
  readonly isEscalation: boolean
}

interface Message extends Pick<MessageKey, 'runId' | 'seq'> {
  readonly type: DeliveryType
}

export const deliveryIdOf = ({ runId, seq, type }: Message): string =>
  `${toWireId('run', runId)}_${seq}${type === escalationType ? '_escalated' : ''}`

const form = /^(run_[0-9a-z]{26})_([1-9]\d{0,8})(_escalated)?$/

/** Undefined if it is malformed. */
export function parseDeliveryId(text: string): MessageKey | undefined {
  const [, wireId = '', seq, marked] = form.exec(text) ?? []
  const runId = fromWireId('run', wireId)
  return runId === undefined ? undefined : { runId, seq: Number(seq), isEscalation: marked !== undefined }
}
