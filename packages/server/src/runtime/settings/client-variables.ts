// Environment variables of the command line as a client. They are not settings of the service, but a shell that has
// them must be able to run every command.

export const urlVariable = 'RUNWRIGHT_URL'
export const apiKeyVariable = 'RUNWRIGHT_API_KEY'

/** A file with the prices of models. The service has it as a setting, for its console. */
export const pricesVariable = 'RUNWRIGHT_PRICES'

export const clientVariables: readonly string[] = [urlVariable, apiKeyVariable]

/**
 * Names that people use for the API key or the address. Without this, the closest setting of `RUNWRIGHT_KEY` is
 * `RUNWRIGHT_KEY_PEPPER`: an API key there would make all existing keys invalid.
 */
const synonyms: Readonly<Record<string, string>> = {
  RUNWRIGHT_KEY: apiKeyVariable,
  RUNWRIGHT_TOKEN: apiKeyVariable,
  RUNWRIGHT_API_TOKEN: apiKeyVariable,
  RUNWRIGHT_SECRET: apiKeyVariable,
  RUNWRIGHT_SECRET_KEY: apiKeyVariable,
  RUNWRIGHT_API: urlVariable,
  RUNWRIGHT_API_URL: urlVariable,
  RUNWRIGHT_BASE_URL: urlVariable,
  RUNWRIGHT_ADDRESS: urlVariable,
}

export const findClientVariable = (mistyped: string): string | undefined =>
  Object.hasOwn(synonyms, mistyped) ? synonyms[mistyped] : undefined
