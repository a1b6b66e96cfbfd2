import { expect, test } from 'vitest'
import { compileSchema } from './compile-schema.ts'

const schemaOfSchemas = 'https://json-schema.org/draft/2020-12/schema'

test('an invalid schema is refused with what is wrong', () => {
  expect(() => compileSchema({ type: 'nonsense' }, {})).toThrow('schema is invalid: data/type must be')
})

test('two schemas may have the same id', () => {
  const [text, number] = ['string', 'number'].map((type) => compileSchema({ $id: 'https://a.example/x', type }, {}))
  expect([text?.('a'), text?.(1), number?.('a'), number?.(1)]).toEqual([true, false, false, true])
})

test('a schema may name and use the schema of schemas', () => {
  const schema = { $schema: schemaOfSchemas, properties: { shape: { $ref: schemaOfSchemas } } }
  const validate = compileSchema(schema, { validateFormats: false })
  expect(validate({ shape: { type: 'string' } })).toBe(true)
  expect(validate({ shape: { type: 'nonsense' } })).toBe(false)
})
