// What is the same for every model of a provider, whatever its wire format: it gets back only what the provider itself
// wrote, and no message shows a secret header.
import type { Message, Model, ModelOutcome, ModelRequest } from '../port/model.ts'

interface ProviderModelOptions {
  readonly model: Model
  /** The name of the provider in the settings. */
  readonly provider: string
  readonly secrets: readonly string[]
}

/** Reasoning and signatures are valid only for the provider, and so the account, that wrote them. */
interface OwnEcho {
  readonly provider: string
  readonly parts: unknown
}

export class ProviderModel implements Model {
  readonly name: string
  readonly contextTokens: number | undefined
  readonly acceptsFiles: readonly string[] | undefined
  readonly #options: ProviderModelOptions

  constructor(options: ProviderModelOptions) {
    this.name = options.model.name
    this.contextTokens = options.model.contextTokens
    this.acceptsFiles = options.model.acceptsFiles
    this.#options = options
  }

  async respond(request: ModelRequest): Promise<ModelOutcome> {
    const { model, provider } = this.#options
    const { messages, ...others } = request
    const outcome = await model.respond({
      ...others,
      messages: messages.map((message) => withOwnEcho(message, provider)),
    })
    if (outcome.kind === 'failure') return { ...outcome, message: this.#withoutSecrets(outcome.message) }
    if (outcome.kind !== 'reply' || outcome.echo === undefined) return outcome
    return { ...outcome, echo: { provider, parts: outcome.echo } satisfies OwnEcho }
  }

  #withoutSecrets(message: string): string {
    return this.#options.secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message)
  }
}

/** After a fallback, the conversation has replies of other providers. Their echo would be refused or misread. */
function withOwnEcho(message: Message, provider: string): Message {
  if (message.from !== 'assistant' || message.echo === undefined) return message
  const { echo, ...others } = message
  const { provider: writer, parts } = echo as OwnEcho
  return writer === provider ? { ...others, echo: parts } : others
}
