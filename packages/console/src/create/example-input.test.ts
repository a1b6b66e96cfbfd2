import { sandboxScriptSchema } from '@runwright/contract'
import { expect, test } from 'vitest'
import { exampleInput } from './example-input.ts'

test('the example is a script that the sandbox model accepts', () => {
  const { sandbox } = JSON.parse(exampleInput)
  expect(sandboxScriptSchema.safeParse(sandbox).error).toBeUndefined()
})
