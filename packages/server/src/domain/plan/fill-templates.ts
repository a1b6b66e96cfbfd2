// Replaces the templates in a step's texts and input with values of the run, just before the step starts.
import { readTemplates, type Template, type TemplateParts } from '@runwright/contract'

export interface StepResult {
  /** Undefined for a gate. */
  readonly content: string | undefined
  readonly output: unknown
}

export interface TemplateScope {
  readonly input: unknown
  readonly metadata: unknown
  readonly attachmentRefs?: readonly string[] | undefined
  /** Braces that are not a valid reference are text. */
  readonly literalBraces?: boolean
  /** Every step of the plan, finished or not: needed to parse a template, see `readTemplates`. */
  readonly stepIds: ReadonlySet<string>
  readonly steps: Pick<ReadonlyMap<string, StepResult>, 'get'>
  /** Undefined before the first signal. */
  readonly signal: { readonly payload: unknown } | undefined
  /** The placeholder for a secret, or a part of one, in `input` or `metadata`. Omit it if the run has no secrets. */
  readonly secretAt?: ((root: 'input' | 'metadata', path: readonly string[]) => string | undefined) | undefined
}

export type Filled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly unresolved: string; readonly because: 'missing' | 'malformed' | 'too_large' }

/** Why a template could not be filled in, as a sentence without its full stop. */
export function describeUnresolved({ unresolved, because }: Extract<Filled, { ok: false }>): string {
  if (because === 'malformed') return unresolved
  return because === 'missing' ? `${unresolved} has no value` : `${unresolved} makes the text too large`
}

/**
 * How many JSON characters one fill may insert. Without a limit, a short plan could repeat a large input many times.
 */
export const maxFilledLength = 4 * 1024 * 1024

/** Fills every string inside `value`. Keys stay unchanged, and inserted values are not searched for templates. */
export function fillTemplates(value: unknown, scope: TemplateScope): Filled {
  try {
    return { ok: true, value: new Filler(scope).fill(value) }
  } catch (error) {
    if (error instanceof Unresolved) return { ok: false, unresolved: error.template, because: error.because }
    throw error
  }
}

class Unresolved extends Error {
  readonly template: string
  readonly because: 'missing' | 'malformed' | 'too_large'

  constructor(template: string, because: Unresolved['because']) {
    super(template)
    this.template = template
    this.because = because
  }
}

class Filler {
  private readonly scope: TemplateScope
  private readonly found = new Map<string, { value: unknown; json: string }>()
  private filledLength = 0

  constructor(scope: TemplateScope) {
    this.scope = scope
  }

  fill(value: unknown): unknown {
    if (typeof value === 'string') return value.includes('{{') ? this.fillText(value) : value
    if (Array.isArray(value)) return value.map((item) => this.fill(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.fill(member)]))
  }

  private fillText(text: string): unknown {
    const read = readTemplates(text, this.scope.stepIds, this.scope)
    if (!read.ok) throw new Unresolved(read.problem, 'malformed')
    const [first] = read.parts
    // A string that is exactly one template becomes the value itself, with its JSON type.
    if (typeof first === 'object' && read.parts.length === 1) return this.resolve(first).value
    return this.join(read.parts)
  }

  private join(parts: TemplateParts): string {
    let text = ''
    for (const part of parts) {
      if (typeof part === 'string') text += part
      else {
        const { value, json } = this.resolve(part)
        text += typeof value === 'string' ? value : json
      }
    }
    return text
  }

  private resolve(template: Template): { value: unknown; json: string } {
    let found = this.found.get(template.text)
    if (found === undefined) {
      const value = resolveTemplate(template, this.scope)
      if (value === undefined) throw new Unresolved(template.text, 'missing')
      found = { value, json: JSON.stringify(value) }
      this.found.set(template.text, found)
    }
    this.filledLength += found.json.length
    if (this.filledLength > maxFilledLength) throw new Unresolved(template.text, 'too_large')
    return found
  }
}

/** Whether the run has a value for the template now. */
export const hasValue = (template: Template, scope: TemplateScope): boolean =>
  resolveTemplate(template, scope) !== undefined

/** Undefined when there is no such value; null is a value. */
function resolveTemplate({ source, path }: Template, scope: TemplateScope): unknown {
  const secret = source.kind === 'input' || source.kind === 'metadata' ? scope.secretAt?.(source.kind, path) : undefined
  if (secret !== undefined) return secret
  const start = source.kind === 'step' ? scope.steps.get(source.stepId)?.[source.field] : startOf(source.kind, scope)
  return path.reduce<unknown>(ownMember, start)
}

function startOf(kind: 'input' | 'metadata' | 'signal' | 'attachment_refs', scope: TemplateScope): unknown {
  if (kind === 'signal') return scope.signal?.payload
  return kind === 'attachment_refs' ? (scope.attachmentRefs ?? []) : scope[kind]
}

const arrayIndex = /^(?:0|[1-9]\d*)$/

/** Own members only: neither `length` nor anything from a prototype. */
function ownMember(holder: unknown, part: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  if (Array.isArray(holder)) return arrayIndex.test(part) ? holder[Number(part)] : undefined
  return Object.hasOwn(holder, part) ? (holder as Record<string, unknown>)[part] : undefined
}
