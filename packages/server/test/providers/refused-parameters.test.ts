// A parameter that a server refuses is left out of the repeated call and of the next ones.
import { afterEach, expect, test } from 'vitest'
import type { WireFormat } from '../../src/models/config/wire-format.ts'
import type { ModelParameters } from '../../src/models/port/model.ts'
import { ask, type OpenedModel, openOnMock } from '../support/provider-models.ts'
import { fail, type NeutralRequest, say } from '../support/providers/script.ts'

let opened: OpenedModel | undefined
afterEach(() => opened?.mock.close())

interface Refused {
  readonly format: WireFormat
  readonly parameters: ModelParameters
  readonly words: string
  readonly quirk: string
  readonly isSent: (request: NeutralRequest) => boolean
}

const sendsSeed = ({ parameters }: NeutralRequest) => parameters.seed !== undefined
const sendsEffort = ({ parameters }: NeutralRequest) => parameters.reasoningEffort !== undefined
const sendsTier = ({ parameters }: NeutralRequest) => parameters.serviceTier !== undefined

const cases: readonly Refused[] = [
  {
    format: 'openai-compatible',
    parameters: { seed: 1 },
    words: "Unsupported parameter: 'seed'",
    quirk: 'seed',
    isSent: sendsSeed,
  },
  {
    format: 'openai-chat',
    parameters: { serviceTier: 'priority' },
    words: "Unsupported parameter: 'service_tier'",
    quirk: 'service_tier',
    isSent: sendsTier,
  },
  {
    format: 'openai',
    parameters: { reasoningEffort: 'high' },
    words: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    quirk: 'reasoning_effort',
    isSent: sendsEffort,
  },
  {
    format: 'anthropic',
    parameters: { reasoningEffort: 'high' },
    words: 'This model does not support the effort parameter.',
    quirk: 'reasoning_effort',
    isSent: sendsEffort,
  },
  {
    format: 'anthropic',
    parameters: { serviceTier: 'auto' },
    words: 'service_tier: Extra inputs are not permitted',
    quirk: 'service_tier',
    isSent: sendsTier,
  },
  {
    format: 'google',
    parameters: { reasoningEffort: 'high' },
    words: 'Thinking level is not supported for this model.',
    quirk: 'thinking',
    isSent: sendsEffort,
  },
  {
    format: 'google',
    parameters: { seed: 1 },
    words: `Invalid JSON payload received. Unknown name "seed" at 'generation_config': Cannot find field.`,
    quirk: 'seed',
    isSent: sendsSeed,
  },
]

test.each(cases)('$format: $words', async ({ format, parameters, words, quirk, isSent }) => {
  opened = await openOnMock({
    format,
    script: (request) => (isSent(request) ? fail('bad_request', { message: words }) : say('done')),
    config: { defaults: { parameters } },
  })
  const { model, mock, quirks } = opened
  expect(await ask(model)).toMatchObject({ kind: 'reply', text: 'done' })
  expect(await ask(model)).toMatchObject({ kind: 'reply', text: 'done' })
  expect(mock.requests.map(isSent)).toEqual([true, false, false])
  expect(quirks).toEqual([`no_parameter:${quirk}`])
  expect(mock.refusals).toEqual([])
})
