// A scripted reply in the pieces that a stream sends.
import type { Say, ScriptedCall } from './script.ts'

export const wholeText = ({ text = '' }: Say): string => (typeof text === 'string' ? text : text.join(''))

export const piecesOf = (text: string | readonly string[]): readonly string[] =>
  typeof text === 'string' ? (text.match(/\S*\s+|\S+/gu) ?? []) : text

export const argumentsText = ({ rawArgs, args = {} }: ScriptedCall): string => rawArgs ?? JSON.stringify(args)

/** In two pieces, so that a client has to put them together. */
export function argumentPieces(call: ScriptedCall): readonly string[] {
  const whole = argumentsText(call)
  const middle = Math.ceil(whole.length / 2)
  return [whole.slice(0, middle), whole.slice(middle)].filter((piece) => piece !== '')
}
