// What is known of models by name: how many tokens of prompt and answer fit into one call, and how many tokens one
// answer can have at least. The first match counts. For a model that is not listed, `RUNWRIGHT_CONTEXT_TOKENS` applies.

const known: readonly (readonly [name: RegExp, window: number, largestOutput?: number])[] = [
  [/gpt-4\.1/, 1_047_576, 32_768],
  [/gpt-5/, 400_000, 128_000],
  [/gpt-4o/, 128_000, 16_384],
  [/gpt-4-turbo|gpt-4-1106|gpt-4-0125/, 128_000],
  [/gpt-4-32k/, 32_768],
  [/gpt-4(?![.\d])/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/gpt-oss/, 131_072],
  [/(?:^|\/)o[134](?:-|$)/, 200_000, 65_536],
  [/claude-3-7/, 200_000, 64_000],
  [/claude-3-5/, 200_000, 8_192],
  [/claude-(?:3|2|instant)/, 200_000],
  [/claude-[a-z]+-\d/, 200_000, 32_000],
  [/claude/, 200_000],
  [/gemini-1\.5-pro/, 2_097_152, 8_192],
  [/gemini-(?:1|2\.0)/, 1_048_576, 8_192],
  [/gemini/, 1_048_576, 65_536],
  [/llama-?4/, 1_000_000],
  [/llama-?3\.[123]/, 131_072],
  [/llama-?3/, 8_192],
  [/mistral-(?:large|medium|small)|ministral|codestral|devstral/, 128_000],
  [/mixtral/, 32_768],
  [/qwen-?3|qwen-?2\.5/, 131_072],
  [/deepseek/, 128_000],
  [/gemma-?3/, 131_072],
  [/phi-?[34]/, 16_384],
]

const find = (model: string) => known.find(([name]) => name.test(model.toLowerCase()))

/** Undefined if it is not known. */
export const contextWindowOf = (model: string): number | undefined => find(model)?.[1]

/** How many tokens every version of the model accepts as the limit of an answer. Undefined if it is not known. */
export const largestOutputOf = (model: string): number | undefined => find(model)?.[2]
