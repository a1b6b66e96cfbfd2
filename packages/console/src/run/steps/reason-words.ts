// A reason code as a sentence. A plan or a script may have codes of its own.
import { eventReasons, isEventReason, visibleText } from '@runwright/contract'
import { readable } from '../../parts/values/readable.ts'

export const reasonWords = (code: string): string =>
  isEventReason(code) ? eventReasons[code] : visibleText(readable(code))
