// The scripted model: replays the next right action from the conversation it is shown, and knows nothing else. A lost
// or changed result shows, because later actions name the receipt of an earlier one.
import { callTools, type NeutralRequest, type Reply, say } from '../../support/providers/script.ts'
import { type ShopTask, taskAt } from './shop-tasks.ts'
import type { ShopAction } from './shop-world.ts'

/** What a model is told to do; the number of the task is all that it knows of it. */
export const instructionOf = (task: ShopTask, n: number): string =>
  `Shop task ${task.id} number ${n}: the customer ${task.wish}. Do what the customer wants.`

export function answerShopTask(request: NeutralRequest): Reply | undefined {
  const text = request.messages.map((message) => message.text).join('\n')
  const number = /Shop task T\w+ number (\d+):/.exec(text)?.[1]
  if (number === undefined) return undefined
  const { stages, id } = taskAt(Number(number))
  const calls = callsOf(request)
  const receipts = calls.flatMap(({ receipt }) => receipt ?? [])
  const isDone = (action: ShopAction) => calls.some(({ name, args, receipt }) => receipt && isFor(action, name, args))
  const missing = stages.map((stage) => stage.filter((action) => !isDone(action))).find((stage) => stage.length > 0)
  if (!missing) return say(`Task ${id} is done.`)
  const payment = receipts.find((receipt) => receipt.includes('-charge-'))
  if (missing.some(({ name }) => name === 'ship') && !payment) return say(`Task ${id}: no receipt was shown.`)
  // A call that failed before it had an effect is made again, but not for ever.
  if (calls.length > mostCalls) return say(`Task ${id}: too many calls failed.`)
  return callTools(missing.map(({ name, ...args }) => ({ name, args: name === 'ship' ? { ...args, payment } : args })))
}

const mostCalls = 40

interface ShownCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Of a call that succeeded. */
  readonly receipt: string | undefined
}

function callsOf({ messages }: NeutralRequest): ShownCall[] {
  const results = new Map(messages.flatMap(({ toolResults }) => toolResults.map(({ id, text }) => [id, text])))
  return messages.flatMap(({ toolCalls }) =>
    toolCalls.map(({ id, name, args }) => ({
      name,
      args: args as ShownCall['args'],
      receipt: /"receipt":\s*"([^"]+)"/.exec(results.get(id) ?? '')?.[1],
    })),
  )
}

const isFor = ({ name, ...wanted }: ShopAction, called: string, args: ShownCall['args']): boolean =>
  name === called && Object.entries(wanted).every(([field, value]) => args[field] === value)
