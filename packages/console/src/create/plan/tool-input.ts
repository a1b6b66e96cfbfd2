// The input of a tool step as fields. A text may be a template, also where the tool expects a number.
import type { Tool } from '@runwright/contract'
import { type ArgumentField, type ArgumentTexts, argumentFieldsOf } from '../../agents/tool-arguments.ts'
import { isRecord, type StepDraft } from './plan-text.ts'

const numberPattern = /^-?\d{1,15}(\.\d{1,15})?$/
const hasTemplate = (text: string): boolean => text.includes('{{')

const isShown = ({ kind, choices }: ArgumentField, value: unknown): boolean => {
  if (value === undefined) return true
  if (kind === 'choice') return choices.some((choice) => choice === value)
  if (kind === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' || (kind === 'number' && typeof value === 'number')
}

/** Undefined: the input has more than the fields can show. */
export const textsOf = (fields: readonly ArgumentField[], input: StepDraft): ArgumentTexts | undefined => {
  const known = new Map(fields.map((field) => [field.name, field]))
  const isFit = Object.entries(input).every(([name, value]) => {
    const field = known.get(name)
    return field !== undefined && isShown(field, value)
  })
  if (!isFit) return undefined
  const words = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, words(value)]))
}

const argumentOf = ({ kind }: ArgumentField, text: string): unknown => {
  if (kind === 'boolean') return text === 'yes'
  return kind === 'number' && numberPattern.test(text.trim()) ? Number(text) : text
}

/**
 * Empty fields are left out, except for a required yes or no: it is a no. An empty text that was there before is one
 * that somebody has written.
 */
export const inputOf = (fields: readonly ArgumentField[], texts: ArgumentTexts, before: StepDraft): StepDraft =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field.name] ?? ''
      const isMeant = (field.kind === 'boolean' && field.isRequired) || before[field.name] === ''
      if (text === '' && !isMeant) return []
      return [[field.name, argumentOf(field, text)]]
    }),
  )

export const inputProblems = (fields: readonly ArgumentField[], texts: ArgumentTexts): ArgumentTexts =>
  Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired, isWhole }) => {
      const text = texts[name]?.trim()
      if (text === undefined) return isRequired && kind !== 'boolean' ? [[name, 'This field is needed.']] : []
      if (kind !== 'number' || hasTemplate(text)) return []
      const isNumber = numberPattern.test(text) && !(isWhole && text.includes('.'))
      return isNumber ? [] : [[name, `Enter a ${isWhole ? 'whole ' : ''}number or a template.`]]
    }),
  )

export type KnownTool = Pick<Tool, 'name' | 'input_schema'>

/** Undefined: the tool is not known, or the input has more than fields can show. */
export const toolFormOf = ({ tool: name, input = {} }: StepDraft, tools: readonly KnownTool[]) => {
  const tool = tools.find((one) => one.name === name)
  const fields = tool && argumentFieldsOf(tool.input_schema)
  const texts = fields && isRecord(input) ? textsOf(fields, input) : undefined
  if (!fields || !texts || !isRecord(input)) return undefined
  return { fields, texts, input, problems: inputProblems(fields, texts) }
}

export const hasInputProblems = (step: StepDraft, tools: readonly KnownTool[]): boolean =>
  Object.keys(toolFormOf(step, tools)?.problems ?? {}).length > 0
