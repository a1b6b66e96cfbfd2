// Checks the options of a model with the SDK package itself, before a run needs them. A wrong one would fail every
// call.
import type { LanguageModel, ProviderCall } from './language-model.ts'

/** The name of an option that the SDK package does not accept. Undefined: it accepts all of them. */
export async function findInvalidOption(
  languageModel: LanguageModel,
  tune: (call: ProviderCall) => ProviderCall,
): Promise<string | undefined> {
  const prompt: ProviderCall['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'check' }] }]
  try {
    // The package reads the options first. Then it finds the signal aborted, and sends nothing.
    await languageModel.doStream(tune({ prompt, abortSignal: AbortSignal.abort() }))
  } catch (error) {
    return nameOfOption(error)
  }
  return undefined
}

/** Errors are recognized by their fields, because several copies of the classes may be loaded. */
function nameOfOption(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'AI_InvalidArgumentError') return undefined
  const problem = (error.cause as { cause?: { issues?: readonly { path?: readonly unknown[] }[] } } | undefined)?.cause
  return String(problem?.issues?.[0]?.path?.[0] ?? 'unknown')
}
