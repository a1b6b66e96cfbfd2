// Parses the templates in a plan's texts: `{{input.…}}`, `{{metadata.…}}`, `{{steps.<id>.content}}`,
// `{{steps.<id>.output.…}}` and `{{signal.payload}}`. White space just inside the braces is ignored. There is no
// escape: every `{{` opens a template, while a `}}` alone is text. `{{secret:…}}` is text, too: a placeholder that is
// filled in only for tools.
import { maxStepIdLength } from '../vocabulary/limits.ts'

/** A placeholder for a secret begins so. */
export const placeholderStart = '{{secret:'

export interface Template {
  /** As written, braces included. */
  readonly text: string
  readonly source: TemplateSource
  /** Keys and array indexes below the source. */
  readonly path: readonly string[]
}

export type TemplateSource =
  | { readonly kind: 'input' | 'metadata' | 'signal' | 'attachment_refs' }
  | { readonly kind: 'step'; readonly stepId: string; readonly field: 'content' | 'output' }

/** Templates and the text between them, in order. */
export type TemplateParts = readonly (string | Template)[]

export type ReadTemplates =
  | { readonly ok: true; readonly parts: TemplateParts }
  | { readonly ok: false; readonly problem: string }

type StepIds = Pick<ReadonlySet<string>, 'has'>

const maxTemplateLength = 1_024
const maxShownLength = 100

export interface ReadTemplateOptions {
  /** Braces that are not a valid reference are text: a model writes `{{first_name}}` and means it. */
  readonly literalBraces?: boolean
}

/**
 * A template can name only steps in `stepIds`. Ids may contain dots and spaces; the longest id that matches is used.
 */
export function readTemplates(
  text: string,
  stepIds: StepIds,
  { literalBraces = false }: ReadTemplateOptions = {},
): ReadTemplates {
  const parts: (string | Template)[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open)
    if (close < 0 && literalBraces) break
    if (close < 0) return { ok: false, problem: 'a template is opened with {{ but not closed with }}' }
    if (open > at) parts.push(text.slice(at, open))
    at = close + 2
    if (text.startsWith(placeholderStart, open)) {
      parts.push(text.slice(open, at))
      continue
    }
    const template = readTemplate(text.slice(open, at), stepIds)
    if (typeof template === 'function' && !literalBraces) return { ok: false, problem: template() }
    parts.push(typeof template === 'function' ? text.slice(open, at) : template)
  }
  if (at < text.length) parts.push(text.slice(at))
  return { ok: true, parts }
}

/** Describes what is wrong. Not called where braces may be text: there may be many. */
type Describe = () => string

function readTemplate(text: string, stepIds: StepIds): Template | Describe {
  if (text.length > maxTemplateLength) return () => `a template is longer than ${maxTemplateLength} characters`
  const reference = text.slice(2, -2).trim()
  const found = reference.startsWith('steps.') ? findStep(reference, stepIds) : findRoot(reference)
  if (typeof found === 'string') return () => `${showTemplate(text)} ${found}`
  const path = readPath(reference.slice(found.length))
  if (path === undefined) return () => `${showTemplate(text)} has a malformed path`
  if (found.source.kind === 'step' && found.source.field === 'content' && path.length > 0)
    return () => `${showTemplate(text)} has a path after content, which is text`
  return { text, source: found.source, path }
}

const showTemplate = (text: string) => (text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}…`)

interface Found {
  readonly source: TemplateSource
  /** How many characters of the reference name the source. */
  readonly length: number
}

const noRoot = 'must name input, metadata, attachment_refs, steps.<id>.content, steps.<id>.output or signal.payload'
const roots = /^(?:input|metadata|attachment_refs|signal\.payload)(?=$|[.[])/

function findRoot(reference: string): Found | string {
  const root = roots.exec(reference)?.[0]
  if (root === undefined) return noRoot
  return {
    source: { kind: root === 'signal.payload' ? 'signal' : (root as 'input' | 'metadata' | 'attachment_refs') },
    length: root.length,
  }
}

const stepFields = /\.(content|output)(?=$|[.[])/g

/** Of UTF-16. Longer texts are no ids, and need not be looked up. */
const maxStepIdUnits = 2 * maxStepIdLength

function findStep(reference: string, stepIds: StepIds): Found | string {
  const fields = [...reference.matchAll(stepFields)].reverse()
  if (fields.length === 0) return 'must have .content or .output after the step id'
  for (const { index, 0: matched, 1: field } of fields) {
    const stepId = reference.slice('steps.'.length, index)
    if (stepId.length > maxStepIdUnits || !stepIds.has(stepId)) continue
    return { source: { kind: 'step', stepId, field: field as 'content' | 'output' }, length: index + matched.length }
  }
  return 'names an unknown step'
}

const pathPart = /\.([^.[\]{}]+)|\[(0|[1-9]\d*)\]/y

function readPath(text: string): readonly string[] | undefined {
  const path: string[] = []
  pathPart.lastIndex = 0
  while (pathPart.lastIndex < text.length) {
    const part = pathPart.exec(text)
    if (part === null) return undefined
    path.push(part[1] ?? part[2] ?? '')
  }
  return path
}
