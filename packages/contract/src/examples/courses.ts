// Courses: runs for the sandbox model that show what the service does. The command line and the console offer them.
import type { Plan } from '../schemas/plan.ts'
import type { CreateRun } from '../schemas/runs.ts'
import type { SandboxScript } from '../schemas/sandbox.ts'
import { movingGuide } from './moving-guide.ts'

export interface Course {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The body of `POST /v1/runs`. */
  readonly request: CreateRun & {
    readonly input: { readonly goal: string; readonly sandbox: SandboxScript }
    readonly metadata: { readonly title: string }
    readonly plan?: Plan
  }
}

const total = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }

const approval = {
  name: 'approval',
  title: 'Two steps side by side, and an approval',
  description: 'Reads two offers at the same time, compares them with a tool, and asks you before it orders.',
  request: {
    metadata: { title: 'Order 24 office chairs' },
    input: {
      goal: 'Compare the two offers for 24 office chairs and order the better one.',
      offers: {
        nordsitz: { chair: 'Aalto 2', price_each: 389, delivery: 240, delivered_in_days: 12, guarantee_years: 5 },
        oakline: { chair: 'Ridge', price_each: 412.5, discount_percent: 5, delivered_in_days: 8, guarantee_years: 10 },
      },
      sandbox: {
        steps: [
          {
            tools: [{ name: 'calculator', input: { expression: '24 * 389 + 240' } }],
            say: 'Nordsitz asks €389.00 for each chair and €240.00 for delivery. For 24 chairs the total is **€9,576.00**. They arrive in 12 working days and have a guarantee of five years.',
            output: { total: 9576 },
            tokens: 412,
            delay_ms: 500,
            chunk_ms: 90,
          },
          {
            tools: [{ name: 'calculator', input: { expression: '24 * 412.5 * 0.95' } }],
            say: 'Oakline asks €412.50 for each chair, less 5 % from 20 chairs on. Delivery is free. For 24 chairs the total is **€9,405.00**. They arrive in 8 working days and have a guarantee of ten years.',
            output: { total: 9405 },
            tokens: 437,
            delay_ms: 800,
            chunk_ms: 90,
          },
          {
            say: 'Order to **Oakline**:\n\n| item | quantity | price |\n|---|---|---|\n| Ridge office chair | 24 | €9,900.00 |\n| discount, 5 % | | −€495.00 |\n| **total** | | **€9,405.00** |\n\nDelivery within 8 working days, to the third floor.',
            output: { supplier: 'Oakline', quantity: 24, total: 9405 },
            tokens: 298,
            delay_ms: 400,
            chunk_ms: 60,
          },
        ],
      },
    },
    plan: {
      goal: 'Order the chairs of the better offer, after approval.',
      steps: [
        {
          id: 'nordsitz',
          depends_on: [],
          instruction: 'Work out the total for 24 chairs of this offer: {{input.offers.nordsitz}}',
          tools: ['calculator'],
          output_schema: total,
        },
        {
          id: 'oakline',
          depends_on: [],
          instruction: 'Work out the total for 24 chairs of this offer: {{input.offers.oakline}}',
          tools: ['calculator'],
          output_schema: total,
        },
        {
          id: 'saving',
          depends_on: ['nordsitz', 'oakline'],
          tool: 'calculator',
          input: { expression: '{{steps.nordsitz.output.total}} - {{steps.oakline.output.total}}' },
        },
        {
          id: 'approve',
          await_input: {
            input_kind: 'approval',
            reason_code: 'order_over_limit',
            prompt:
              'Order 24 Ridge chairs from Oakline for €{{steps.oakline.output.total}}? That is €{{steps.saving.output.result}} less than Nordsitz.',
          },
        },
        {
          id: 'order',
          instruction: 'Write the order to Oakline. What they offered: {{steps.oakline.content}}',
          tools: [],
        },
      ],
    },
  },
} satisfies Course

const retry = {
  name: 'retry',
  title: 'A failure, and a retry that goes on after it',
  description:
    'One step fails and is repeated by itself. Another one fails for good: retry the run, and it goes on there.',
  request: {
    metadata: { title: 'Book an invoice in US dollars' },
    input: {
      goal: 'Convert invoice 4711 to euros and book it.',
      invoice: { number: 4711, supplier: 'Harbor Prints', amount_usd: 1840 },
      sandbox: {
        steps: [
          {
            fail: {
              reason_code: 'provider_error',
              message: 'The model server is overloaded.',
              retryable: true,
              times: 1,
            },
            tools: [{ name: 'calculator', input: { expression: '1840 / 1.25' } }],
            say: 'At 1.25 dollars for a euro, $1,840.00 are **€1,472.00**.',
            output: { amount_eur: 1472 },
            tokens: 264,
            delay_ms: 400,
            chunk_ms: 90,
          },
          {
            fail: {
              reason_code: 'provider_error',
              message: 'The monthly quota of the model account is used up. Raise it, then retry the run.',
              retryable: false,
              times: 1,
            },
            say: 'Invoice 4711 of Harbor Prints is booked: **€1,472.00**, due in 30 days.',
            output: { invoice: 4711, booked_eur: 1472 },
            tokens: 187,
            delay_ms: 400,
            chunk_ms: 90,
          },
        ],
      },
    },
    plan: {
      goal: 'Book the invoice in euros.',
      steps: [
        {
          id: 'convert',
          instruction: 'Convert the amount of this invoice to euros: {{input.invoice}}',
          tools: ['calculator'],
        },
        { id: 'book', instruction: 'Book the invoice. What is known: {{steps.convert.content}}', tools: [] },
      ],
    },
  },
} satisfies Course

const stream = {
  name: 'stream',
  title: 'A long text, streamed',
  description: 'Writes a guide of several pages, word by word. Close the page, come back, and nothing is missing.',
  request: {
    metadata: { title: 'Write a guide for moving the office' },
    routing_hint: 'skip_planning',
    input: {
      goal: 'Write a guide for moving our office of 24 people, with a timetable and a budget.',
      sandbox: { steps: [{ say: movingGuide, output: { total: 14600 }, tokens: 1240, delay_ms: 300, chunk_ms: 45 }] },
    },
  },
} satisfies Course

/** In the order in which to offer them. */
export const courses: readonly Course[] = [approval, retry, stream]
