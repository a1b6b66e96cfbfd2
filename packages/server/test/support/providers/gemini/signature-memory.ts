// The thought signatures that were issued: they come back on the part they came on, unchanged.
import { Refusal } from '../refusal.ts'
import { type Content, callsOf, type GeminiRequest, isGemini3, type Part } from './request-shape.ts'

// Documented for calls that another model made; for the mock's own calls it hides a loss.
const placeholders = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

type Call = NonNullable<Part['functionCall']>
const keyOf = ({ name, args = {} }: Call): string => `${name} ${JSON.stringify(args)}`

export class SignatureMemory {
  private readonly issued = new Set<string>()
  private readonly byCall = new Map<string, Set<string>>()

  remember(parts: readonly Part[]): void {
    for (const { functionCall, thoughtSignature } of parts) {
      if (thoughtSignature === undefined) continue
      this.issued.add(thoughtSignature)
      if (functionCall === undefined) continue
      const key = keyOf(functionCall)
      this.byCall.set(key, (this.byCall.get(key) ?? new Set()).add(thoughtSignature))
    }
  }

  check({ contents }: GeminiRequest, model: string): void {
    for (const { parts } of contents) for (const part of parts) this.checkUnchanged(part)
    const lastWords = contents.findLastIndex(({ role, parts }) => role !== 'model' && parts.some(isWords))
    for (const [at, content] of contents.entries()) if (at > lastWords) this.checkPresent(content, at, model)
  }

  private checkUnchanged({ thoughtSignature, functionCall }: Part): void {
    if (thoughtSignature === undefined) return
    const due = functionCall && this.byCall.get(keyOf(functionCall))
    if (placeholders.includes(thoughtSignature) && due === undefined) return
    const isKnown = due === undefined ? this.issued.has(thoughtSignature) : due.has(thoughtSignature)
    if (!isKnown) throw new Refusal('Corrupted thought signature.')
  }

  /** Of the calls of one step, the first carries the signature. Gemini 3 wants it on every step of the current turn. */
  private checkPresent(content: Content, at: number, model: string): void {
    const [first] = callsOf(content)
    if (first === undefined) return
    const isDue = isGemini3(model) || this.byCall.has(keyOf(first))
    const part = content.parts.find(({ functionCall }) => functionCall === first)
    if (!isDue || part?.thoughtSignature !== undefined) return
    throw new Refusal(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. ' +
        `Additional data, function call \`default_api:${first.name}\`, position ${at + 1}.`,
    )
  }
}

const isWords = ({ text, inlineData, fileData }: Part): boolean =>
  text !== undefined || inlineData !== undefined || fileData !== undefined
