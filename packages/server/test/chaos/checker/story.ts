// The story of a run: its log, and what clients asked and were answered, for a person who looks for a defect.
import type { LogEntry, Operation } from './history.ts'

const told = new Set(['to_status', 'reason_code', 'kind', 'outcome', 'tool_name', 'action', 'decision_type', 'task_id'])

const tellEvent = ({ seq, type, payload }: LogEntry): string => {
  const words = Object.entries(payload).flatMap(([name, value]) => (told.has(name) ? [`${name}=${value}`] : []))
  return `  ${String(seq).padStart(4)} ${type} ${words.join(' ')}`.trimEnd()
}

export function tellOperation({ client, ask, start, end, answer }: Operation): string {
  const { kind, ...details } = ask
  const time = `${(start / 1000).toFixed(3)}–${end === undefined ? '?' : (end / 1000).toFixed(3)}`
  return `  ${time} ${client}: ${kind} ${JSON.stringify(details)} → ${answer ? tellAnswer(answer) : 'no answer'}`
}

function tellAnswer(answer: NonNullable<Operation['answer']>): string {
  if (answer.kind !== 'events') return JSON.stringify(answer)
  return `${answer.events.length} events, to ${answer.events.at(-1)?.seq ?? 'the cursor'}`
}

export const tellStory = (id: string, log: readonly LogEntry[], history: readonly Operation[]): string =>
  [`The log of ${id}:`, ...log.map(tellEvent), 'What clients did:', ...history.map(tellOperation)].join('\n')
