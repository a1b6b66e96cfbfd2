// What is wrong with edited arguments, apart from values that the person has not seen: those are masked in the
// question, and come back as they were shown.
import { isDeepStrictEqual } from 'node:util'
import type { SchemaError } from '../runtime/schemas/schema-job.ts'

export const errorsBesideMasks = (errors: readonly SchemaError[], edited: unknown, shown: unknown): SchemaError[] =>
  errors.filter(({ instancePath }) => {
    const value = valueAt(edited, instancePath)
    return !hasMask(value) || !isDeepStrictEqual(value, valueAt(shown, instancePath))
  })

const hasMask = (value: unknown): boolean => typeof value === 'string' && value.includes('***')

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => (Object.hasOwn(Object(at), name) ? Object(at)[name] : undefined), value)
