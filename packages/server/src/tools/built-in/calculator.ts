// The tool `calculator`: exact about what it cannot compute, so that a model does not have to guess.
import { z } from 'zod'
import type { Tool } from '../port/tool.ts'
import { evaluate } from './arithmetic.ts'

export const maxExpressionLength = 1000

// A template that stands alone keeps its JSON type, so a step's input may well be a number. Models are told of text only.
const expression = z
  .unknown()
  .refine((value) => typeof value === 'string' || Number.isFinite(value), { error: 'must be a string or a number' })
  .transform(String)
  .refine((text) => text.length <= maxExpressionLength, {
    error: `must have at most ${maxExpressionLength} characters`,
  })
  .meta({ type: 'string', maxLength: maxExpressionLength, description: 'For example `(12.5 + 3) * 1.19`' })

const input = z.strictObject({ expression })

export const calculator: Tool<z.infer<typeof input>> = {
  name: 'calculator',
  description:
    'Evaluates an arithmetic expression: + - * / % (remainder), ** or ^ (power), parentheses, pi, e, and the functions ' +
    'sqrt, abs, round, floor, ceil, min, max, pow, exp, log (natural, also ln), log2, log10, sin, cos, tan (radians).',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async ({ expression }) => ({ result: evaluate(expression) }),
}
