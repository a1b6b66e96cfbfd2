import { expect, test } from 'vitest'
import { refusedParameter, withoutRefused } from './refused-parameter.ts'

test.each([
  ["Unsupported parameter: 'max_tokens' is not supported with this model.", 'max_tokens'],
  ['Unrecognized request argument supplied: "stream_options"', 'stream_options'],
  ["'temperature' does not apply: unsupported", 'temperature'],
  ['`seed` is not permitted', 'seed'],
  ["unknown field 'parallel_tool_calls'", 'parallel_tool_calls'],
  ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning_effort'],
  ["Unsupported value: 'temperature' does not support 0.2 with this model.", 'temperature'],
  ['temperature: Extra inputs are not permitted', 'temperature'],
  ['output_config.effort: Extra inputs are not permitted', 'reasoning_effort'],
  ['`temperature` is deprecated for this model.', 'temperature'],
  ['This model does not support the effort parameter.', 'reasoning_effort'],
  ['adaptive thinking is not supported on this model', 'thinking'],
  ['Thinking level is not supported for this model.', 'thinking'],
  [`Invalid JSON payload received. Unknown name "seed" at 'generation_config': Cannot find field.`, 'seed'],
  [`Invalid JSON payload received. Unknown name "thinkingConfig" at 'generation_config'`, 'thinking'],
  ['{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}', 'seed'],
])('%j refuses %s', (words, name) => {
  expect(refusedParameter(words)).toBe(name)
})

test.each([
  // A call without these would be a different call.
  "Unsupported parameter: 'messages'",
  "Unknown parameter: 'model'",
  "Invalid value for 'content'",
  'max_tokens is too large',
  'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens',
  'Thinking may not be enabled when tool_choice forces tool use.',
  "'constructor' is not supported",
  'not now',
  '',
])('%j refuses nothing that a call can do without', (words) => {
  expect(refusedParameter(words)).toBeUndefined()
})

test('what was refused is left out of the body', () => {
  const body = { model: 'm', seed: 1, stop: ['x'] }
  expect(withoutRefused(body, ['seed', 'temperature'])).toEqual({ model: 'm', stop: ['x'] })
  expect(withoutRefused(body, [])).toEqual(body)
})

test.each([
  ['Responses', { reasoning: { effort: 'low', summary: 'auto' } }, { reasoning: { summary: 'auto' } }],
  ['Responses', { reasoning: { effort: 'low' } }, {}],
  ['Anthropic', { output_config: { effort: 'low', format: {} } }, { output_config: { format: {} } }],
])('the reasoning effort of %s is left out where it is', (_, body, rest) => {
  expect(withoutRefused({ model: 'm', ...body }, ['reasoning_effort'])).toEqual({ model: 'm', ...rest })
})

test('parameters of Gemini are left out of its generation config', () => {
  const generationConfig = { seed: 1, temperature: 0, stopSequences: ['x'], thinkingConfig: { thinkingLevel: 'low' } }
  const refused = ['seed', 'stop', 'thinking', 'service_tier']
  expect(withoutRefused({ contents: [], generationConfig, serviceTier: 'flex' }, refused)).toEqual({
    contents: [],
    generationConfig: { temperature: 0 },
  })
})

test('max_completion_tokens replaces max_tokens', () => {
  expect(withoutRefused({ model: 'm', max_tokens: 7 }, ['max_tokens'])).toEqual({
    model: 'm',
    max_completion_tokens: 7,
  })
  expect(withoutRefused({ model: 'm' }, ['max_tokens'])).toEqual({ model: 'm' })
})
