// Compares a request with the recorded one. What differs in every execution does not count: the date, what is left to
// spend, times, and ids that are derived from the run's id.
import type { TurnMessage } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import { mapLeaves } from '../../domain/json/map-leaves.ts'
import type { ModelRequest } from '../port/model.ts'
import type { RecordedTurn } from './cassette-file.ts'
import { toTurnMessage } from './turn-message.ts'

/** Where a request differs. */
export interface Difference {
  readonly callKey: string
  /** `message 3`, `the offered tools` … The first message is number 1. */
  readonly where: string
  /** The recorded text, and the text as it is now, from shortly before the first difference. */
  readonly recorded: string
  readonly now: string
  /** Both texts whole, of a message that differs. */
  readonly texts?: { readonly recorded: string; readonly now: string }
  /** The recorded run has no reply: it was aborted during the call. */
  readonly isEnd?: true
}

interface Comparison {
  readonly callKey: string
  /** The text without what differs in every execution. */
  readonly comparable: (text: string) => string
}

type Request = Pick<ModelRequest, 'messages' | 'tools' | 'outputSchema'>

export function findDifference(recorded: RecordedTurn, request: Request, how: Comparison): Difference | undefined {
  const { callKey } = how
  const messages = request.messages.map(toTurnMessage)
  const length = Math.max(messages.length, recorded.messages.length)
  for (let n = 0; n < length; n += 1) {
    const pair = [recorded.messages[n], messages[n]].map((message) => textOf(message, how.comparable))
    const [before = '', now = ''] = pair
    if (before === now || wasCut(before)) continue
    return { callKey, where: `message ${n + 1}`, ...excerpts(before, now), texts: { recorded: before, now } }
  }
  return findOther(recorded, request, callKey)
}

function findOther({ body }: RecordedTurn, request: Request, callKey: string): Difference | undefined {
  const [tools, offered] = [body.tools, request.tools.map(({ name }) => name)].map((names) => names.join(', '))
  if (tools !== offered) return { callKey, where: 'the offered tools', ...excerpts(tools ?? '', offered ?? '') }
  const [wanted, wants] = [body.output_schema, request.outputSchema !== undefined].map(String)
  if (wanted === wants) return undefined
  return { callKey, where: 'whether the reply must match a schema', recorded: wanted ?? '', now: wants ?? '' }
}

/** A message as text that shows each difference, the words of a text as they are. */
function textOf(message: TurnMessage | undefined, comparable: (text: string) => string): string {
  if (message === undefined) return '(no message)'
  const plain = mapLeaves(message, { leaf: (leaf) => (typeof leaf === 'string' ? comparable(leaf) : leaf), key: same })
  const { from, text, ...rest } = plain as { from: string; text?: string }
  const more = Object.keys(rest).length === 0 ? '' : ` ${canonicalJson(rest)}`
  return `${from}: ${text ?? ''}${more}`
}

const same = (key: string): string => key

/** A text that was too long for the record cannot be compared. */
const wasCut = (text: string): boolean => text.includes('more characters are not kept]')

const before = 20
const shown = 120

export function excerpts(recorded: string, now: string): Pick<Difference, 'recorded' | 'now'> {
  let at = 0
  while (at < recorded.length && recorded[at] === now[at]) at += 1
  const from = Math.max(0, at - before)
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, at + shown)}${text.length > at + shown ? '…' : ''}`
  return { recorded: part(recorded), now: part(now) }
}
