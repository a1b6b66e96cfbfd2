// Building blocks of the wire schemas: strings measured in code points, instants, ids, and query parameters.
import { z } from 'zod'
import { defaultListPageSize, maxLabelLength, maxPageSize } from '../vocabulary/limits.ts'

/** Sets the JSON Schema to publish, for rules that zod can check but not express as JSON Schema. */
export const published = <T extends z.ZodType>(schema: T, jsonSchema: Record<string, unknown>): T =>
  schema.meta({ published: jsonSchema }) as T

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
const isStorable = (text: string) => !text.includes('\0') && !loneSurrogate.test(text)

const codePointCount = (text: string) => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Text of `min` to `max` code points that PostgreSQL can store. */
export const text = (min: number, max: number) =>
  published(
    z
      .string()
      .refine((value) => value.length <= 2 * max && codePointCount(value) <= max && value.length >= min, {
        error: `must be ${min === 0 ? 'at most' : `${min} to`} ${max} characters long`,
      })
      .refine(isStorable, { error: 'must not contain U+0000 or a lone surrogate' }),
    { type: 'string', minLength: min, maxLength: max },
  )

export const label = text(1, maxLabelLength)

export const instant = published(z.string(), { type: 'string', format: 'date-time' })

/** An id on the wire: a prefix and 26 base32 characters (a UUIDv7, so ids sort by time). */
export const id = (prefix: string) =>
  published(z.string(), { type: 'string', pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$` })

export const requestId = published(z.string(), {
  type: 'string',
  pattern: '^[A-Za-z0-9._-]{1,128}$',
  description: 'Correlation id: the `x-request-id` of the request if well-formed, otherwise a new one',
})

/** Any JSON object. Its members are not checked, and parsing returns the same object: `z.record` would copy it. */
export const jsonObject = published(
  z.unknown().check(({ value: input, issues }) => {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    if (!isObject) issues.push({ code: 'invalid_type', expected: 'record', input })
  }) as unknown as z.ZodType<Record<string, unknown>>,
  { type: 'object', additionalProperties: {} },
)

/** An integer in a query string. */
export const queryInteger = (min: number, max: number, byDefault?: number) =>
  published(
    z
      .string()
      .regex(/^\d{1,16}$/, `must be an integer from ${min} to ${max}`)
      .transform(Number)
      .refine((value) => value >= min && value <= max, { error: `must be an integer from ${min} to ${max}` }),
    {
      type: 'integer',
      minimum: min,
      maximum: max,
      ...(byDefault === undefined ? {} : { default: byDefault }),
    },
  )

/** Any text passes here: the list that returned the cursor checks it. */
export const queryCursor = published(z.string(), { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }).describe(
  'Opaque; the `next_cursor` of the previous page',
)

/** The parameters of a list. */
export const pageFields = {
  limit: queryInteger(1, maxPageSize, defaultListPageSize).optional(),
  cursor: queryCursor.optional(),
}

/** Of an answer with a page of a list. */
export const nextCursor = z.string().nullable().describe('Null: this is the last page')

export const queryBoolean = published(
  z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true'),
  { type: 'boolean' },
)

/** An ISO 8601 instant with a time zone offset in a query string. Kept as text: a `Date` would lose microseconds. */
export const queryInstant = published(
  z.iso
    .datetime({
      offset: true,
      error: 'must be an ISO 8601 date and time with a time zone offset, such as 2026-11-15T00:00:00Z',
    })
    .refine((value) => !value.startsWith('0000'), { error: 'must not be in the year 0000' }),
  { type: 'string', format: 'date-time' },
)

/**
 * What is published of a list of values that may grow: the values of today, and any other text. Without the second
 * branch, generated clients would refuse a value that a later version of the service returns.
 */
export const extensible = (words: readonly string[]) => ({
  anyOf: [{ type: 'string', enum: [...words] }, { type: 'string' }],
  'x-extensible-enum': [...words],
})

/** Readers must accept any text; editors suggest the values of today. */
export type Open<Word extends string> = Word | (string & {})

/**
 * A value that the service returns, from a list that may grow. The service is checked to return only those of the
 * list. Requests, and lists that never change, use `z.enum`.
 */
export const openEnum = <const Words extends readonly string[]>(words: Words) =>
  published(z.enum(words) as unknown as z.ZodType<Open<Words[number]>>, extensible(words))

/** A comma-separated list of values from a closed vocabulary in a query string. */
export const queryList = <Word extends string>(words: readonly [Word, ...Word[]]) =>
  published(
    z
      .string()
      .transform((value) => value.split(','))
      .pipe(
        z
          .array(z.enum(words))
          .refine((list) => new Set(list).size === list.length, { error: 'contains a value twice' }),
      ),
    { type: 'array', items: { type: 'string', enum: [...words] }, minItems: 1, uniqueItems: true },
  )
