// What others have decided about a question so far. An answer counts with another one only if both say the same, so a
// person sees all of it.
import type { Decision } from '@runwright/contract'
import { type Html, html } from './link-html.ts'

export const lengthOf = (decisions: readonly Decision[]): number =>
  decisions.reduce((sum, decision) => sum + partsOf(decision).reduce((length, part) => length + part.length, 0), 0)

export const decidedSoFar = (decisions: readonly Decision[]): Html | false =>
  decisions.length > 0 &&
  html`<dt>Decided so far</dt>
${decisions.map((decision) => html`<dd>${whoOf(decision)} ${wordsOf(decision)}${partsOf(decision).map((part) => html`<pre>${part}</pre>`)}</dd>`)}
${
  decisions.some(hasEdits) &&
  html`<dd>Who approves here approves the arguments above. To say the same as somebody who has changed them, sign in to the console.</dd>`
}`

const whoOf = ({ person, via, roles, key_name, key_id }: Decision): string =>
  person ?? (via === 'link' ? `somebody with the role ${roles[0]}` : (key_name ?? key_id))

const hasEdits = ({ call, calls }: Decision): boolean =>
  [call, ...(calls ?? [])].some((one) => one?.arguments !== undefined)

function wordsOf({ action, call, calls }: Decision): string {
  if (calls) return 'decided about several calls'
  if (call?.arguments !== undefined) return 'changed the arguments'
  if (call?.error !== undefined) return 'said that the call failed'
  if (call) return 'gave the result of the call'
  return action === 'approve' ? 'approved' : 'gave an answer'
}

/** What the decision says, as texts. */
function partsOf({ call, calls, payload }: Decision): string[] {
  const said = calls ?? call?.arguments ?? call?.error ?? call?.result
  return [said, payload].filter((part) => part !== undefined && part !== null).map(textOf)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))
