// The tool `calculator`: computes what a model would otherwise have to guess.
import { z } from 'zod'
import type { Tool } from '../port/tool.ts'
import { evaluate } from './arithmetic.ts'

export const maxExpressionLength = 1000

// A string that is exactly one template keeps the value's JSON type, so the input may be a number. The schema for
// models has only strings.
const expression = z
  .unknown()
  .refine((value) => typeof value === 'string' || Number.isFinite(value), { error: 'must be a string or a number' })
  .transform(String)
  .refine((text) => text.length <= maxExpressionLength, {
    error: `must have at most ${maxExpressionLength} characters`,
  })
  .meta({ type: 'string', maxLength: maxExpressionLength, description: 'Such as `(12.5 + 3) * 1.19`' })

const input = z.strictObject({ expression })

export const calculator: Tool<z.infer<typeof input>> = {
  name: 'calculator',
  description:
    'Evaluates arithmetic: + - * / % ** ^, parentheses, pi, e, sqrt, abs, round, floor, ceil, min, max, pow, exp, log and ' +
    'ln (natural), log2, log10, sin, cos, tan (radians).',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async ({ expression }) => ({ result: evaluate(expression) }),
}
