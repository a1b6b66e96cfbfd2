// What the models of the guides answer. The mock checks each request as the provider does.
import { roleOf, verdict } from '../support/agents.ts'
import { callTools, type NeutralRequest, type Reply, type ReplyTo, say } from '../support/providers/script.ts'

const call = (name: string, args: unknown): Reply => callTools([{ name, args }])

/** The replies of the turns of one step. The number of tool results says which turn it is, also after a restart. */
const turns =
  (...replies: readonly Reply[]): ReplyTo =>
  ({ messages }) => {
    const reply = replies[messages.filter(({ from }) => from === 'tool').length]
    if (!reply) throw new Error('the model of this guide has no more replies')
    return reply
  }

const orderIn = ({ messages }: NeutralRequest): string => /\b104\d\b/.exec(messages[0]?.text ?? '')?.[0] ?? ''

const invoiceIn = ({ messages }: NeutralRequest) =>
  messages[0]?.text.includes('Baker')
    ? { supplier: 'Baker Ltd.', net: 300, currency: 'EUR' }
    : { supplier: 'Miller Ltd.', net: 9405, currency: 'EUR' }

const workers: Readonly<Record<string, ReplyTo>> = {
  'first-agent.md': (request) =>
    turns(
      call('find_order', { number: orderIn(request) }),
      call('refund', { number: orderIn(request), amount: 49.9 }),
      say(`I refunded 49.90 EUR for order ${orderIn(request)}.`),
    )(request),
  'structured-output.md': (request) => say([JSON.stringify(invoiceIn(request))]),
  'sensitive-data.md': turns(
    call('pay', { iban: '{{secret:$.input.iban}}', amount: 120 }),
    say('I paid 120 EUR to the account of the invoice.'),
  ),
  'web-app.md': () => say('I am sorry that your lamp arrived broken. We send you a new one today.'),
  // docs/evals.md
  'evals.md': (request) =>
    request.tools.some(({ name }) => name === 'cancel_order')
      ? turns(call('cancel_order', { id: '1' }), say('I cancelled order 1.'))(request)
      : turns(call('calculator', { expression: '12 * 95.5' }), say('It is 1146.'))(request),
  'mcp.md': turns(call('everything__get-sum', { a: 19, b: 23 }), say('19 and 23 make 42.')),
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
