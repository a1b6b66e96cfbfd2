// A tool that writes: opens a ticket in a tracker that takes JSON over HTTP and knows the header `idempotency-key`. Where the
// tracker is stands in TICKETS_URL. The tool is `idempotent` because the tracker is: a call that a crash cut off is made
// again with the same key, and opens no second ticket.

/**
 * @param {string} policyReasonCode
 * @param {string} message
 */
const refusal = (policyReasonCode, message) => Object.assign(new Error(message), { policyReasonCode })

export default {
  name: 'create_ticket',
  description: 'Opens a ticket in the tracker and gives back its number.',
  input: {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 200 },
      text: { type: 'string' },
      urgent: { type: 'boolean', default: false },
    },
    required: ['title'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  exposure: { sendsOut: true },
  timeoutSeconds: 20,

  /**
   * @param {{ title: string, text?: string, urgent: boolean }} input
   * @param {{ signal: AbortSignal, workspaceId: string | null, runId: string, idempotencyKey: string }} context
   */
  async run(input, { signal, workspaceId, runId, idempotencyKey }) {
    if (workspaceId === null) throw refusal('workspace_required', 'Tickets are opened for runs of a workspace only.')
    const url = process.env.TICKETS_URL
    if (url === undefined) throw new Error('There is no tracker: TICKETS_URL is not set.')
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ ...input, workspace: workspaceId, source: runId }),
      signal,
    })
    if (!answer.ok) throw new Error(`The tracker answered ${answer.status}.`)
    const { number } = await answer.json()
    return { number }
  },
}
