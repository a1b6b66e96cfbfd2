// What an operator can do about a model that does not work.
import type { ProviderConfig } from '../config/provider-config.ts'
import { keyVariableOf } from '../config/server.ts'
import type { ModelFailure } from '../port/model.ts'
import type { Quirk } from '../provider/sdk/quirks.ts'

export function adviceFor(
  { reasonCode, message }: Pick<ModelFailure, 'reasonCode' | 'message'>,
  provider: ProviderConfig | undefined,
): string {
  switch (reasonCode) {
    case 'provider_auth':
      return adviceForKey(provider)
    case 'provider_quota':
      return 'Add credit to the account at the provider, or use the key of another account.'
    case 'provider_rate_limited':
      return 'Try again later, or ask the provider for a higher limit.'
    case 'provider_unavailable':
      return 'Check that the base URL is right, and that the server runs and can be reached from this host.'
    case 'provider_refused':
      return 'Check the content filter of the provider: it refused a harmless question.'
    default:
      if (/ redirects /.test(message)) return 'Correct the base URL: it must be the address that answers.'
      return /\b404\b/.test(message)
        ? 'Check the name of the model and the base URL: the provider does not know them.'
        : 'Check the name, the parameters and the options of the model.'
  }
}

function adviceForKey(provider: ProviderConfig | undefined): string {
  const variable = provider && keyVariableOf(provider)
  return variable === undefined
    ? 'The provider wants a key: name its environment variable in key_env.'
    : `Check the key in ${variable}, and that its account may use the model.`
}

const quirkWords: Partial<Readonly<Record<Quirk, string>>> = {
  no_tools: 'The server refuses tools. They are not offered, and the model is told so.',
  no_files: 'The server refuses files. The model is told their names in words.',
  no_reasoning: 'The server refuses the reasoning of earlier turns. It is left out.',
  no_response_format: 'The server refuses the schema of the answer. It is in the prompt only.',
  'no_parameter:max_tokens': 'The server refuses the parameter max_tokens. max_completion_tokens is sent instead.',
}

export const explainQuirk = (quirk: Quirk): string =>
  quirkWords[quirk.startsWith('no_schema:') ? 'no_response_format' : quirk] ??
  `The server refuses the parameter ${quirk.replace('no_parameter:', '')}. It is left out.`
