import { expect, test } from 'vitest'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test('a header is read and written', () => {
  const header = `00-${traceId}-${spanId}-01`
  expect(parseTraceparent(header)).toEqual({ traceId, spanId, isSampled: true })
  expect(formatTraceparent({ traceId, spanId, isSampled: true })).toBe(header)
  expect(parseTraceparent(`00-${traceId}-${spanId}-02`)?.isSampled).toBe(false)
  expect(parseTraceparent(`cc-${traceId}-${spanId}-01-what-comes-later`)?.traceId).toBe(traceId)
})

test.each([
  undefined,
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  ` 00-${traceId}-${spanId}-01`,
])('%s is not one', (header) => {
  expect(parseTraceparent(header)).toBeUndefined()
})
