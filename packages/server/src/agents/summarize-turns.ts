// The request for a summary that replaces older turns of a step.
import type { Message } from '../models/port/model.ts'
import { asData } from './as-data.ts'
import { prompts } from './load-prompt.ts'
import { shorten } from './value-text.ts'
import { turnMessages } from './worker.ts'
import type { WorkerTurn } from './worker-loop.ts'

export interface SummaryRequest {
  readonly instruction: string
  /** The earlier summary, which covers the turns before these. */
  readonly before: string | undefined
  readonly turns: readonly WorkerTurn[]
  /** Limits the request so that it fits the window itself. */
  readonly maxLength: number
}

export function summaryMessages({ instruction, before, turns, maxLength }: SummaryRequest): Message[] {
  const perTurn = Math.max(500, Math.floor(maxLength / Math.max(1, turns.length)))
  const told = turns.map((turn, index) => `Turn ${index + 1}:\n${shorten(describeTurn(turn), perTurn)}`)
  const parts = [
    `The step: ${instruction || 'do what the input asks for'}`,
    ...(before === undefined ? [] : [asData('summary of earlier turns', before)]),
    asData('turns', told.join('\n\n')),
  ]
  return [
    { from: 'system', text: prompts.summary.text },
    { from: 'user', text: parts.join('\n\n') },
  ]
}

const describeTurn = (turn: WorkerTurn): string =>
  turnMessages(turn)
    .map((message) => {
      if (message.from === 'tool')
        return `${message.name} returned${message.failed ? ' a failure' : ''}: ${JSON.stringify(message.result)}`
      if (message.from !== 'assistant') return message.text
      const calls = message.toolCalls.map(({ name, input }) => `called ${name}(${JSON.stringify(input)})`)
      return [message.text, ...calls].filter((text) => text !== '').join('\n')
    })
    .join('\n')
