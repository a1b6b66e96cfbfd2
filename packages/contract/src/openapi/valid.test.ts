// Two validators that share no code: one uses the official JSON Schema, the other one has its own rules.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openApiDocument } from './document.ts'

const printed = JSON.stringify(openApiDocument())

const exampleRules = {
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
} as const

const lint = async (source: string) => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: exampleRules })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

test('the document matches the JSON Schema of OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(JSON.parse(printed))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('the document passes a strict linter, and its examples their schemas', async () => {
  expect(await lint(printed)).toEqual([])
}, 120_000)

test('both detect an invalid document', async () => {
  const broken = printed.replace('#/components/responses/Unauthorized', '#/components/responses/Missing')
  expect(await lint(broken)).toContain("no-unresolved-refs: Can't resolve $ref")
  expect(await new Validator().validate(JSON.parse(broken))).toMatchObject({ valid: false })
})
