// A tool that writes: creates a ticket in a tracker that accepts JSON over HTTP and supports the `idempotency-key`
// header. TICKETS_URL is the URL of the tracker. The tool is `idempotent` because the tracker is: a call that a crash
// interrupted is repeated with the same key and does not create a second ticket.

/**
 * @param {string} policyReasonCode
 * @param {string} message
 */
const refusal = (policyReasonCode, message) => Object.assign(new Error(message), { policyReasonCode })

export default {
  name: 'create_ticket',
  description: 'Creates a ticket in the tracker and returns its number.',
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
    if (workspaceId === null) throw refusal('workspace_required', 'Only runs with a workspace can create tickets.')
    const url = process.env.TICKETS_URL
    if (url === undefined) throw new Error('TICKETS_URL is not set.')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ ...input, workspace: workspaceId, source: runId }),
      signal,
    })
    if (!response.ok) throw new Error(`The tracker returned HTTP status ${response.status}.`)
    const { number } = await response.json()
    return { number }
  },
}
