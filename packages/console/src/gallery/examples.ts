// What the gallery shows: texts that are short, long and hostile, and errors of each kind.
import { RunwrightError } from '@runwright/client'

export const longText = Array.from({ length: 80 }, (_, n) => `Line ${n + 1} of a text that is folded.`).join('\n')

export const markdown = `# A heading

A paragraph with **bold** and \`code\`, and [a link](https://example.com).

- One
- Two

> A quotation.

\`\`\`
const code = 'in a block'
\`\`\`

| Name | Value |
| --- | --- |
| Chairs | 24 |
`

export const callArguments = {
  to: 'ada@example.com',
  copies: [],
  amount: 1146,
  items: [{ name: 'Chair', count: 24 }],
  note: longText,
  hidden: 'left\u202eright',
  old_text: 'Delivery within ten days.',
  new_text: 'Delivery within eight working days.',
}

export const brokenRequest = new RunwrightError('No response from the service: the connection is refused.')
export const refusedRequest = new RunwrightError('The run has already ended.', {
  status: 409,
  reasonCode: 'RUN_ENDED',
  requestId: 'req_01k8',
})

const minute = 60_000
export const at = (minutes: number): string => new Date(Date.now() + minutes * minute).toISOString()
