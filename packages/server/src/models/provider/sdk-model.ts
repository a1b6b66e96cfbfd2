// A model behind the SDK's language model interface. It uses `doStream` and not the SDK's `streamText`, which reads
// ahead without limit (it took 60 MB from a server while a slow listener had received 0.6 MB), so a slow log could not
// slow it down. It never retries: the engine does, and counts the tries.
import { createHash } from 'node:crypto'
import { linkSignals } from '../../runtime/linked-signal.ts'
import type { Model, ModelOutcome, ModelRequest } from '../port/model.ts'
import { describeFailure, type ProviderFailure, statusOf } from './reply/failure.ts'
import { IncomingReply, showsProgress } from './reply/incoming-reply.ts'
import { isUnknownEvent } from './reply/unknown-event.ts'
import { schemaInWords, toProviderCall } from './request/call.ts'
import { enforcesSchema, fitCall, withoutResponseFormat } from './request/fit-call.ts'
import { TakenFiles } from './request/taken-files.ts'
import type { LanguageModel, ProviderCall, ReplyPart } from './sdk/language-model.ts'
import type { Quirk, Quirks } from './sdk/quirks.ts'
import { refusedParameter } from './sdk/refused-parameter.ts'

interface SdkModelOptions {
  /** `provider/model` */
  readonly name: string
  readonly languageModel: LanguageModel
  readonly apiKey: string | undefined
  readonly quirks: Quirks
  /** The longest wait for the first token, and between two tokens. */
  readonly silenceMs: number
  readonly contextTokens?: number | undefined
  readonly acceptsFiles?: readonly string[] | undefined
  /** Adds the parameters of the model and the request. */
  readonly tune?: (call: ProviderCall, request: ModelRequest) => ProviderCall
}

const maxAdaptions = 4

interface SentCall {
  readonly call: ProviderCall
  /** What the system message says in addition to that of the request. */
  readonly added: string | undefined
}

export class SdkModel implements Model {
  readonly name: string
  readonly contextTokens: number | undefined
  readonly acceptsFiles: readonly string[] | undefined
  readonly #files: TakenFiles
  readonly #options: SdkModelOptions
  #takesFormats = false

  constructor(options: SdkModelOptions) {
    this.name = options.name
    this.contextTokens = options.contextTokens
    this.acceptsFiles = options.acceptsFiles
    this.#files = new TakenFiles(options.acceptsFiles ?? [], options.quirks)
    this.#options = options
  }

  async respond(request: ModelRequest): Promise<ModelOutcome> {
    const { signal } = request
    if (signal.aborted) return { kind: 'aborted', text: '', usage: undefined }
    const reply = new IncomingReply(request)
    const silence = new AbortController()
    const either = linkSignals(signal, silence.signal)
    let failure: ProviderFailure | undefined
    let added: string | undefined
    const onSend = (sent: SentCall) => {
      added = sent.added
    }
    try {
      for await (const part of this.#parts({ ...request, signal: either.signal }, { silence, onSend })) {
        if (part.type === 'error' && isUnknownEvent(part.error)) continue
        const taken = part.type === 'error' ? this.#describe(part.error, silence) : reply.take(part)
        failure = taken instanceof Promise ? await taken : taken
        if (failure !== undefined || signal.aborted) break
      }
    } finally {
      either.release()
    }
    const outcome = conclude({ request, reply, failure, model: this.name })
    return added === undefined ? outcome : { ...outcome, addedToSystem: added }
  }

  #describe(error: unknown, silence: AbortController): ProviderFailure {
    if (!silence.signal.aborted) return describeFailure(error, this.#options.apiKey)
    const seconds = Math.round(this.#options.silenceMs / 100) / 10
    const message = `The provider sent nothing for ${seconds} s.`
    return { reasonCode: 'provider_unavailable', message, retry: 'call' }
  }

  /** Yields the parts one by one, each on demand. An error is the last part. Stopping early closes the connection. */
  async *#parts(
    request: ModelRequest,
    { silence, onSend }: { readonly silence: AbortController; readonly onSend: (sent: SentCall) => void },
  ): AsyncGenerator<ReplyPart> {
    let reader: ReadableStreamDefaultReader<ReplyPart> | undefined
    let timer = this.#startTimer(silence)
    try {
      reader = (await this.#open(request, onSend)).getReader()
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const isProgress = showsProgress(next.value)
        if (isProgress) clearTimeout(timer)
        yield next.value
        // Not while the listener was slow: only the provider's silence counts.
        if (isProgress) timer = this.#startTimer(silence)
      }
    } catch (error) {
      yield { type: 'error', error }
    } finally {
      clearTimeout(timer)
      // A broken stream is closed already. `cancel` rejects with the error that was reported above.
      await reader?.cancel().catch(() => undefined)
    }
  }

  #startTimer(silence: AbortController): NodeJS.Timeout {
    return setTimeout(() => silence.abort(), this.#options.silenceMs)
  }

  /** Opens the stream. Optional features that the server refuses are left out and remembered. */
  async #open(request: ModelRequest, onSend: (sent: SentCall) => void): Promise<ReadableStream<ReplyPart>> {
    let withoutFormat = false
    for (let adaptions = 0; ; adaptions += 1) {
      const sent = this.#callFor(request, withoutFormat)
      const { call } = sent
      onSend(sent)
      try {
        const { stream } = await this.#options.languageModel.doStream(call)
        if (withoutFormat) this.#options.quirks.remember(this.#formatQuirk(request))
        this.#takesFormats ||= call.responseFormat !== undefined
        this.#files.accepted(request)
        return stream
      } catch (error) {
        if (adaptions >= maxAdaptions || !mayAdapt(error)) throw error
        if (this.#files.refused(request, wordsOf(error)) || this.#adapt(error, call)) continue
        // Servers refuse a response format in many different ways. Only a call without it shows whether it was the
        // cause.
        if (call.responseFormat === undefined || statusOf(error) === 413) throw error
        withoutFormat = true
      }
    }
  }

  /** The schema is told in words, too, unless the server enforces it: many accept a response format and ignore it. */
  #callFor(request: ModelRequest, withoutFormat: boolean): SentCall {
    const { quirks, languageModel } = this.#options
    const lacksTools = quirks.has('no_tools') && request.tools.length > 0
    const taken = this.#files.takenFrom(lacksTools ? { ...request, tools: [] } : request)
    const words = lacksTools ? [noTools] : []
    const isPlain =
      withoutFormat ||
      quirks.has('no_response_format') ||
      (request.outputSchema !== undefined && quirks.has(schemaQuirk(request)))
    const call = this.#fit(taken, { words, isPlain })
    if (request.outputSchema === undefined || enforcesSchema(call.call, languageModel)) return call
    return this.#fit(taken, { words: [...words, schemaInWords(request.outputSchema)], isPlain })
  }

  #fit(request: ModelRequest, { words, isPlain }: { words: readonly string[]; isPlain: boolean }): SentCall {
    const { quirks, languageModel, tune = (plain: ProviderCall) => plain } = this.#options
    const model = quirks.has('no_reasoning') ? undefined : this.name
    const added = words.length > 0 ? words.join('\n\n') : undefined
    const call = tune(toProviderCall(request, { model, added }), request)
    return { added, call: fitCall(isPlain ? withoutResponseFormat(call) : call, languageModel) }
  }

  /** A model that has taken a schema before refuses this one only, and not those of other runs. */
  #formatQuirk(request: ModelRequest): Quirk {
    return this.#takesFormats ? schemaQuirk(request) : 'no_response_format'
  }

  /** Returns true when the error names a feature that the next call can leave out. */
  #adapt(error: unknown, call: ProviderCall): boolean {
    const words = wordsOf(error)
    const { quirks } = this.#options
    const parameter = refusedParameter(words)
    if (parameter !== undefined && !quirks.has(`no_parameter:${parameter}`)) {
      quirks.remember(`no_parameter:${parameter}`)
      return true
    }
    if (refusesReasoning(words) && !quirks.has('no_reasoning') && call.prompt.some(hasReasoning)) {
      quirks.remember('no_reasoning')
      return true
    }
    // Some refuse tools only together with a response format. Then the call goes without the format.
    if (call.responseFormat && /response|mime|format|json/i.test(words)) return false
    const refusesTools = /tool|function/i.test(words) && /support|not allowed|unavailable/i.test(words)
    if (call.tools && refusesTools) quirks.remember('no_tools')
    return call.tools !== undefined && refusesTools
  }
}

const wordsOf = (error: unknown): string =>
  String((error as { responseBody?: unknown }).responseBody ?? '').replaceAll('\\"', '"')

/** Some servers demand the reasoning of earlier turns back, and others refuse it. */
const refusesReasoning = (words: string): boolean =>
  /\breasoning(?:_content|_details)?\b/.test(words) &&
  /not (?:permitted|supported|allowed|expected)|unsupported|unknown|unrecognized|unexpected|extra|must not|invalid/i.test(
    words,
  )

const hasReasoning = ({ providerOptions }: ProviderCall['prompt'][number]): boolean =>
  providerOptions?.openaiCompatible !== undefined

/** The server refused the form of the request. An exhausted quota or a full context has another reason code. */
const mayAdapt = (error: unknown): boolean =>
  [400, 413, 415, 422, 501].includes(statusOf(error) ?? 0) &&
  describeFailure(error, undefined).reasonCode === 'provider_error'

const noTools = 'You have no tools here. Do what you can without them, and say what you could not do.'

const schemaQuirk = ({ outputSchema }: ModelRequest): Quirk => `no_schema:${hashOf(JSON.stringify(outputSchema ?? {}))}`

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

interface Ended {
  readonly request: ModelRequest
  readonly reply: IncomingReply
  readonly failure: ProviderFailure | undefined
  readonly model: string
}

function conclude({ request, reply, failure, model }: Ended): ModelOutcome {
  const { text, toolCalls, finish } = reply
  const spent = reply.usage ?? reply.estimateUsage()
  if (request.signal.aborted) return { kind: 'aborted', text, usage: spent }
  // A refused request costs nothing. A reply that broke off was written and is billed.
  const partial = reply.usage ?? (reply.isEmpty ? undefined : spent)
  if (failure) return { kind: 'failure', ...failure, text, usage: partial }
  if (reply.refusal !== undefined) return { kind: 'failure', ...refused(reply.refusal), text, usage: spent }
  if (!reply.hasEnded) return { kind: 'failure', ...cut, text, usage: partial }
  const echo = reply.echoed.echo(text.length, model)
  return { kind: 'reply', text, toolCalls, finish, usage: spent, ...(echo && { echo }) }
}

const refused = (words: string): ProviderFailure => ({
  reasonCode: 'provider_refused',
  message:
    words === '' ? "The provider's content filter stopped the reply." : `The model refused: ${words.slice(0, 300)}`,
  retry: 'never',
})

const cut: ProviderFailure = {
  reasonCode: 'provider_unavailable',
  message: "The provider's reply broke off before its end.",
  retry: 'call',
}
