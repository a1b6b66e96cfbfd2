// Says how a wait was answered, and by whom.
import type { RunSignal } from '@runwright/client'
import { channelWords, editWords } from '@runwright/contract'
import { safeLine } from '../output/safe-text.ts'

const verbs = { approve: 'Approved', reject: 'Rejected', submit_input: 'Input submitted' } as const

/** `Approved by ada (key_…, finance), edited amount 500 → 450.` */
export function describeAnswer(signal: RunSignal, isOurs: boolean): string {
  const { action, asked, call, calls, counted } = signal
  const said = calls
    ? [`Decided about ${calls.length} calls`, whoOf(signal, isOurs), `: ${calls.map(wordsOfOne(asked)).join('; ')}`]
    : call
      ? [verbOf(call), whoOf(signal, isOurs), detailOf(call, asked.arguments)]
      : [verbs[action], whoOf(signal, isOurs), reasonOf(signal.payload)]
  return `${said.join('')}${counted ? ', and others have to decide, too' : ''}.`
}

type Decided = NonNullable<RunSignal['call']> & { readonly approve?: true | undefined }

const verbOf = ({ deny, error, arguments: given, approve }: Decided): string => {
  if (deny !== undefined) return 'Denied'
  if (error !== undefined) return 'Answered with a failure'
  return given !== undefined || approve ? 'Approved' : 'Answered with a result'
}

function detailOf({ deny, error, arguments: given }: Decided, asked: unknown): string {
  if (deny !== undefined) return because(deny)
  if (error !== undefined) return because(error)
  const edits = given === undefined ? undefined : editWords(asked, given)
  return edits === undefined ? '' : `, ${safeLine(edits)}`
}

const wordsOfOne =
  ({ calls }: RunSignal['asked']) =>
  (call: NonNullable<RunSignal['calls']>[number]): string => {
    const about = calls?.find(({ call_id }) => call_id === call.call_id)
    return `${safeLine(about?.tool ?? call.call_id)} ${verbOf(call).toLowerCase()}${detailOf(call, about?.arguments)}`
  }

/** The person, or else the key, with the roles at that time, and whether it came by a decision link. */
function whoOf({ key_id, key_name, person, roles, via }: RunSignal, isOurs: boolean): string {
  if (isOurs) return ''
  // A link for a role names no person, and the key is that of the program that made it.
  if (via === 'link' && person === null) return ` by ${roles.map(safeLine).join(', ')} by link`
  const name = person ?? key_name
  const more = [...(name === null ? [] : [key_id]), ...roles].map(safeLine).join(', ')
  return ` by ${safeLine(name ?? key_id)}${more === '' ? '' : ` (${more})`}${channelWords(via)}`
}

function reasonOf(payload: unknown): string {
  const reason = typeof payload === 'object' && payload !== null && 'reason' in payload ? payload.reason : undefined
  return typeof reason === 'string' ? because(reason) : ''
}

const because = (reason: string): string => (reason.trim() === '' ? '' : `: ${safeLine(reason).replace(/\.$/, '')}`)
