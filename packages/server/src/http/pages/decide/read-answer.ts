// The answer that the form of a decision link sends, as the body of a signal.
import { maxCallErrorLength } from '@runwright/contract'
import { ServiceError } from '../../../domain/service-error.ts'
import type { Question } from '../../../store/runs/question.ts'
import { takesData } from './question-page.ts'

/** As JSON text, which is read as that of the API is. */
export function answerBody(formText: string, question: Pick<Question, 'inputKind' | 'rules' | 'call'>): string {
  const form = new URLSearchParams(formText)
  const reason = form.get('reason')?.trim() ?? ''
  const answer = form.get('answer')
  if (reason.length > maxCallErrorLength) throw invalid(`the reason is longer than ${maxCallErrorLength} characters.`)
  if (answer === 'reject') return JSON.stringify({ action: 'reject', ...(reason !== '' && { payload: { reason } }) })
  if (answer === 'deny' && question.call) {
    if (reason === '') throw invalid('say why the call is not to be made. The model is told the reason.')
    return JSON.stringify({ action: 'submit_input', call: { deny: reason } })
  }
  const isData = question.inputKind === 'payload'
  if (answer !== (isData ? 'submit' : 'approve')) throw invalid('choose one of the answers.')
  if (!takesData(question)) return '{"action":"approve"}'
  const payload = payloadOf(form.get('data')?.trim() ?? '', question)
  return `{"action":${isData ? '"submit_input"' : '"approve"'},"payload":${payload}}`
}

/** What a schema describes is JSON. Otherwise, what is no JSON is text. */
function payloadOf(text: string, { rules }: Pick<Question, 'rules'>): string {
  if (text === '') throw invalid('this question needs an answer in the first field.')
  try {
    JSON.parse(text)
    return text
  } catch {
    if (rules.approval_schema !== undefined) throw invalid('the answer is not valid JSON.')
    return JSON.stringify(text)
  }
}

const invalid = (message: string) => new ServiceError('SIGNAL_PAYLOAD_INVALID', message)
