// Example of the list of tools: one of each source.
import type { Tool, ToolList } from '../schemas/tools.ts'
import { requestIds } from './ids.ts'

const calculator: Tool = {
  name: 'calculator',
  description: 'Evaluates an arithmetic expression.',
  source: 'built-in',
  file: null,
  server: null,
  input_schema: {
    type: 'object',
    properties: { expression: { type: 'string' } },
    required: ['expression'],
    additionalProperties: false,
  },
  effect: 'read',
  exposure: { reads_private: false, takes_untrusted: false, sends_out: false },
  policy: { rule: 'allow', description: 'Calls are made without approval.' },
}

const payInvoice: Tool = {
  name: 'pay_invoice',
  description: 'Pays an invoice by its number.',
  source: 'own',
  file: 'billing.mjs',
  server: null,
  input_schema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  effect: 'once',
  exposure: { reads_private: true, takes_untrusted: false, sends_out: false },
  policy: { rule: 'ask', description: 'Each call needs approval.' },
}

const createIssue: Tool = {
  name: 'tracker.create_issue',
  description: 'Creates an issue.',
  source: 'mcp',
  file: null,
  server: 'tracker',
  input_schema: { type: 'object', properties: { title: { type: 'string' } } },
  effect: 'once',
  exposure: { reads_private: true, takes_untrusted: true, sends_out: true },
  policy: {
    rule: 'allow',
    description:
      'Calls are made without approval. A call needs approval if the run has read untrusted text, or if a model fills in a sensitive value that its tag does not allow for the call.',
  },
}

const value: ToolList = { tools: [calculator, payInvoice, createIssue], request_id: requestIds.signal }

export const toolLists = { sources: { summary: 'One tool of each source', value } }
