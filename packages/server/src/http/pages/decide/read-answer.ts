// The answer that the form of a decision link sends, as the body of a signal.
import { maxCallErrorLength } from '@runwright/contract'
import { ServiceError } from '../../../domain/service-error.ts'
import type { Question } from '../../../store/runs/question.ts'
import { isAboutOutcome, takesData } from './question-page.ts'

type AnsweredQuestion = Pick<Question, 'inputKind' | 'rules' | 'call' | 'reasonCode'>

/** As JSON text, which is read as that of the API is. */
export function answerBody(form: URLSearchParams, question: AnsweredQuestion): string {
  if (new Set(form.keys()).size < form.size) throw invalid('the form has the same field twice.')
  const reason = form.get('reason')?.trim() ?? ''
  const answer = form.get('answer')
  if (reason.length > maxCallErrorLength) throw invalid(`the reason is longer than ${maxCallErrorLength} characters.`)
  if (answer === 'reject') return JSON.stringify({ action: 'reject', ...(reason !== '' && { payload: { reason } }) })
  if (answer === 'deny' && question.call) {
    if (reason === '') throw invalid('say why the call is not to be made. The model is told the reason.')
    return JSON.stringify({ action: 'submit_input', call: { deny: reason } })
  }
  const isFailure = isAboutOutcome(question) && answer === 'error'
  if (isFailure && reason === '') throw invalid('say how the call failed.')
  const data = takesData(question) ? `,"payload":${payloadOf(form.get('data')?.trim() ?? '', question)}` : ''
  if (isFailure) return `{"action":"submit_input","call":{"error":${JSON.stringify(reason)}}${data}}`
  if (isAboutOutcome(question) && answer === 'result')
    return `{"action":"submit_input","call":{"result":${resultOf(form.get('result')?.trim() ?? '')}}${data}}`
  const isData = question.inputKind === 'payload'
  if (answer !== (isData ? 'submit' : 'approve')) throw invalid('choose one of the answers.')
  return `{"action":${isData ? '"submit_input"' : '"approve"'}${data}}`
}

/** What a schema describes is JSON. Otherwise, what is no JSON is text. */
function payloadOf(text: string, { rules }: Pick<Question, 'rules'>): string {
  if (text === '') throw invalid('this question needs an answer in the first field.')
  if (rules.approval_schema !== undefined && !isJson(text)) throw invalid('the answer is not valid JSON.')
  return isJson(text) ? text : JSON.stringify(text)
}

function resultOf(text: string): string {
  if (text === '') throw invalid('say what the call returned. Write null if it returned nothing.')
  return isJson(text) ? text : JSON.stringify(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const invalid = (message: string) => new ServiceError('SIGNAL_PAYLOAD_INVALID', message)
