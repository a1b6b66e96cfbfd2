// The rules between contents: calls follow the user or a response, and each turn of calls has its responses at once.
import { Refusal } from '../refusal.ts'
import { type Content, callsOf, type GeminiRequest, type Part, responsesOf } from './request-shape.ts'

export function checkConversation({ contents }: GeminiRequest): void {
  if (contents.length === 0) throw new Refusal('* GenerateContentRequest.contents: contents is not specified')
  for (const [at, content] of contents.entries()) {
    checkRole(content, contents.length)
    checkParts(content, at)
    checkCallTurn(contents, at)
    checkResponseTurn(contents, at)
  }
  if (contents[0]?.role === 'model') throw new Refusal('Please ensure that multiturn requests start with a user role.')
  if (contents.at(-1)?.role === 'model') {
    throw new Refusal('Please ensure that multiturn requests end with a user role or a function response.')
  }
}

function checkRole({ role }: Content, turns: number): void {
  if (role === 'user' || role === 'model' || role === 'function' || (role === undefined && turns === 1)) return
  throw new Refusal('Please use a valid role: user, model.')
}

function checkParts({ parts, role }: Content, at: number): void {
  const path = `GenerateContentRequest.contents[${at}].parts`
  if (parts.length === 0) throw new Refusal(`* ${path}: contents.parts must not be empty.`)
  for (const [place, part] of parts.entries()) {
    if (dataOf(part).length !== 1) {
      throw new Refusal(`* ${path}[${place}].data: required oneof field 'data' must have one initialized field`)
    }
    // A text may be empty where it only carries a signature.
    if (part.text === '' && part.thoughtSignature === undefined) {
      throw new Refusal('Unable to submit request because it has an empty text parameter. Add a value and try again.')
    }
    if (part.functionCall !== undefined && role !== 'model')
      throw new Refusal(`* ${path}: a function call needs the role model.`)
    if (part.functionResponse !== undefined && role === 'model')
      throw new Refusal(`* ${path}: a function response needs the role user.`)
  }
}

const dataOf = ({ text, inlineData, fileData, functionCall, functionResponse }: Part) =>
  [text, inlineData, fileData, functionCall, functionResponse].filter((data) => data !== undefined)

function checkCallTurn(contents: readonly Content[], at: number): void {
  const calls = callsOf(contents[at] as Content)
  if (calls.length === 0) return
  const before = contents[at - 1]
  if (before === undefined || before.role === 'model') {
    throw new Refusal(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  }
  const after = contents[at + 1]
  if (after === undefined || responsesOf(after).length !== calls.length) {
    throw new Refusal(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
        'function call turn.',
    )
  }
}

function checkResponseTurn(contents: readonly Content[], at: number): void {
  const responses = responsesOf(contents[at] as Content)
  if (responses.length === 0) return
  const before = contents[at - 1]
  const open = before === undefined ? [] : [...callsOf(before)]
  if (open.length === 0) {
    throw new Refusal('Please ensure that function response turn comes immediately after a function call turn.')
  }
  for (const { id, name } of responses) {
    const answered = open.findIndex(
      (call) => call.name === name && (id === undefined || call.id === undefined || call.id === id),
    )
    if (answered === -1) {
      throw new Refusal(
        `Function response ${name}${id === undefined ? '' : ` (${id})`} does not answer an open function call.`,
      )
    }
    open.splice(answered, 1)
  }
}
