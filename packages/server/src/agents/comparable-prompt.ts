// A text of a prompt without what differs in every execution of a run, so that two executions can be compared.
import { withoutClock } from './prompt.ts'
import { withoutNotes } from './recall.ts'

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]{0,16}(?:Z|[+-]\d\d:\d\d)?/g

/** Notes of earlier runs do not count either: they depend on what else was executed before. */
export const comparablePrompt = (text: string): string => withoutNotes(withoutClock(text)).replace(instant, '(time)')
