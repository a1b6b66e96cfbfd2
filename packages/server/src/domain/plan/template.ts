// Finds templates in texts, changes such texts, or leaves some of the templates out.
import { readTemplates, stringsIn, type Template } from '@runwright/contract'
import { mapLeaves } from '../json/map-leaves.ts'

/** Changes the text between the templates. Braces that are not a valid reference are text. */
export function mapTextBetween(text: string, stepIds: ReadonlySet<string>, change: (text: string) => string): string {
  const read = readTemplates(text, stepIds, { literalBraces: true })
  let [changed, between] = ['', '']
  for (const part of read.ok ? read.parts : [text]) {
    if (typeof part === 'string') between += part
    else {
      changed += change(between) + part.text
      between = ''
    }
  }
  return changed + change(between)
}

/** The value without the templates for what the run has learned: results of steps and payloads of signals. */
export const keepOwnTemplates = (value: unknown, stepIds: ReadonlySet<string>): unknown =>
  mapLeaves(value, {
    leaf: (leaf) => (typeof leaf === 'string' && leaf.includes('{{') ? keepOwn(leaf, stepIds) : leaf),
    key: (key) => key,
  })

function keepOwn(text: string, stepIds: ReadonlySet<string>): string {
  const read = readTemplates(text, stepIds, { literalBraces: true })
  const isOwn = (part: string | Template) => typeof part === 'string' || !['step', 'signal'].includes(part.source.kind)
  const parts = read.ok ? read.parts.filter(isOwn) : [text]
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('')
}

/** For a text whose plan is not known: whatever follows `steps.` names a step. */
const anyStep = { has: () => true }

/** The first template in the value, as it is written. */
export function findTemplate(value: unknown): string | undefined {
  for (const text of stringsIn(value)) {
    const read = readTemplates(text, anyStep, { literalBraces: true })
    const found = read.ok ? read.parts.find((part) => typeof part !== 'string') : undefined
    if (typeof found === 'object') return found.text
  }
  return undefined
}
