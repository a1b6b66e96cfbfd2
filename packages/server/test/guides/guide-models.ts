// What the models of the pages answer. The mock checks each request as the provider does.
import { roleOf, verdict } from '../support/agents.ts'
import { callTools, type Reply, type ReplyTo, say } from '../support/providers/script.ts'

const call = (name: string, args: unknown): Reply => callTools([{ name, args }])

/** The replies of the turns of one step. The number of tool results says which turn it is, also after a restart. */
const turns =
  (...replies: readonly Reply[]): ReplyTo =>
  ({ messages }) => {
    const reply = replies[messages.filter(({ from }) => from === 'tool').length]
    if (!reply) throw new Error('the model of this page has no more replies')
    return reply
  }

const workers: Readonly<Record<string, ReplyTo>> = {
  // docs/evals.md
  'evals.md': (request) =>
    request.tools.some(({ name }) => name === 'cancel_order')
      ? turns(call('cancel_order', { id: '1' }), say('I cancelled order 1.'))(request)
      : turns(call('calculator', { expression: '12 * 95.5' }), say('It is 1146.'))(request),
}

export const modelOf =
  (guide: string): ReplyTo =>
  (request) => {
    // A judge that is content with the first step must not keep a plan from asking.
    if (roleOf(request) === 'judge') return verdict('stop', 'The goal is reached.')
    const worker = workers[guide]
    if (!worker) throw new Error(`${guide} has no model`)
    return worker(request)
  }
