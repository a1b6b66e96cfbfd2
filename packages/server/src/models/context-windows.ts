// The context windows of well-known models by name: how many tokens of prompt and answer fit into one call. The first
// match counts. For a model that is not listed, `RUNWRIGHT_CONTEXT_TOKENS` applies.

const windows: readonly (readonly [RegExp, number])[] = [
  [/gpt-4\.1/, 1_047_576],
  [/gpt-5/, 400_000],
  [/gpt-4o|gpt-4-turbo|gpt-4-1106|gpt-4-0125/, 128_000],
  [/gpt-4-32k/, 32_768],
  [/gpt-4(?![.\d])/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/gpt-oss/, 131_072],
  [/(?:^|\/)o[134](?:-|$)/, 200_000],
  [/claude/, 200_000],
  [/gemini-1\.5-pro/, 2_097_152],
  [/gemini/, 1_048_576],
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

/** Undefined if it is not known. */
export function contextWindowOf(model: string): number | undefined {
  const name = model.toLowerCase()
  return windows.find(([pattern]) => pattern.test(name))?.[1]
}
