// The rules between items: every call has one output, and reasoning stays with what it was issued for.
import { Refusal } from '../refusal.ts'
import type { ItemMemory } from './item-memory.ts'
import { type Item, type ItemOf, isCall, isMessage, isOutput, isReasoning } from './request-shape.ts'

export function checkConversation(items: readonly Item[], memory: ItemMemory): void {
  items.forEach(checkIds)
  items.forEach(checkTexts)
  checkDuplicates(items)
  checkOutputs(items)
  checkReasoning(items, memory)
}

const param = 'input'

function checkIds(item: Item, at: number): void {
  if (!('id' in item) || item.id === undefined) return
  const prefix = isMessage(item) ? 'msg' : isReasoning(item) ? 'rs' : isCall(item) ? 'fc' : ''
  if (item.id.startsWith(prefix)) return
  throw new Refusal(`Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`, {
    code: 'invalid_value',
    param: `input[${at}].id`,
  })
}

/** OpenAI takes an empty text; gateways in front of other models do not. */
function checkTexts(item: Item, at: number): void {
  const content = isMessage(item) ? item.content : isOutput(item) ? item.output : undefined
  const parts = Array.isArray(content) ? content : [{ text: content }]
  if (content === undefined || !parts.some((part) => 'text' in part && part.text === '')) return
  throw new Refusal(`Invalid 'input[${at}]': text must not be empty.`, { param: `input[${at}]` })
}

function checkDuplicates(items: readonly Item[]): void {
  const ids = items.flatMap((item) => ('id' in item && item.id !== undefined ? [item.id] : []))
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice === undefined) return
  throw new Refusal(`Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`, {
    param,
  })
}

function checkOutputs(items: readonly Item[]): void {
  const calls = items.filter(isCall).map(({ call_id }) => call_id)
  const outputs = items.filter(isOutput).map(({ call_id }) => call_id)
  const twice = [calls, outputs].flatMap((ids) => ids.filter((id, at) => ids.indexOf(id) !== at))[0]
  if (twice !== undefined) throw new Refusal(`Duplicate 'call_id' found: ${twice}.`, { param })
  for (const [at, item] of items.entries()) {
    const isAsked = isOutput(item) && items.slice(0, at).some((call) => isCall(call) && call.call_id === item.call_id)
    if (isOutput(item) && !isAsked) {
      throw new Refusal(`No tool call found for function call output with call_id ${item.call_id}.`, { param })
    }
  }
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) throw new Refusal(`No tool output found for function call ${open}.`, { param })
}

function checkReasoning(items: readonly Item[], memory: ItemMemory): void {
  const known = new Set<string | undefined>()
  const lastWords = items.findLastIndex((item) => isMessage(item) && item.role === 'user')
  for (const [at, item] of items.entries()) {
    if (isReasoning(item)) {
      known.add((memory.issuedReasoning(item) as ItemOf<'reasoning'>).id)
      checkFollowed(item, items[at + 1])
      continue
    }
    const due = memory.reasoningOf(item)
    // OpenAI checks only items sent with their id. Without it the loss goes unnoticed, so the mock checks those, too.
    const isChecked = ('id' in item && item.id !== undefined) || at > lastWords
    if (due === undefined || !isChecked || known.has(due.id)) continue
    throw new Refusal(
      `Item '${'id' in item ? item.id : ''}' of type '${item.type ?? 'message'}' was provided without its required ` +
        `'reasoning' item: '${due.id}'.`,
      { param },
    )
  }
}

function checkFollowed(item: ItemOf<'reasoning'>, next: Item | undefined): void {
  const follows =
    next !== undefined && (isReasoning(next) || isCall(next) || (isMessage(next) && next.role === 'assistant'))
  if (follows) return
  throw new Refusal(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`, {
    param,
  })
}
