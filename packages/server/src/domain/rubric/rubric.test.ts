import { describe, expect, test } from 'vitest'
import { isRubricProblem, readRubric } from './rubric.ts'

const read = (given: unknown, of: 'run' | 'agent' = 'run') => readRubric(given, { at: ['input', 'rubric'], of })
const problemOf = (given: unknown, of?: 'run' | 'agent') => {
  const rubric = read(given, of)
  return isRubricProblem(rubric) ? rubric.problem : undefined
}
const accuracy = { type: 'integer', minimum: 1, maximum: 5 }
const scored = (properties: object, pass: object = {}) => ({ scores: { type: 'object', properties }, pass })

describe('a rubric', () => {
  test('in words has two revisions, and leaves the grade out of the result', () => {
    const defaults = { criteria: 'Be brief.', scores: [], maxRevisions: 2, includesGrade: false }
    expect(read('Be brief.')).toEqual(defaults)
    expect(read({ criteria: 'Be brief.' })).toEqual(defaults)
  })

  test('of scores has their scales and pass marks', () => {
    const given = {
      ...scored({ accuracy: { ...accuracy, description: 'Right.' }, cites: { type: 'boolean' } }, { accuracy: 4 }),
    }
    expect(read({ ...given, max_revisions: 0, include_grade: true })).toEqual({
      criteria: undefined,
      scores: [
        { name: 'accuracy', description: 'Right.', type: 'integer', minimum: 1, maximum: 5, pass: 4 },
        { name: 'cites', description: undefined, type: 'boolean' },
      ],
      maxRevisions: 0,
      includesGrade: true,
    })
  })

  test('takes what generators of JSON Schemas add', () => {
    const scores = {
      $schema: 'x',
      title: 'Scores',
      required: ['a'],
      additionalProperties: false,
      properties: { a: { type: 'boolean' } },
    }
    expect(problemOf({ scores })).toBeUndefined()
  })

  test.each([
    [null, 'input.rubric must be an object, not null'],
    [7, 'input.rubric must be an object'],
    ['', 'input.rubric.criteria must be 1 to 10000 characters long'],
    ['x'.repeat(10_001), 'input.rubric.criteria must be 1 to 10000 characters long'],
    [{ criteria: ' \n' }, 'input.rubric has criteria without words'],
    [{}, 'input.rubric must have exactly one of criteria, scores'],
    [
      { criteria: 'a', ...scored({ a: { type: 'boolean' } }) },
      'input.rubric must have exactly one of criteria, scores',
    ],
    [{ criteria: 'a', max_revisions: 11 }, 'input.rubric.max_revisions must be at most 10'],
    [{ criteria: 'a', max_revisions: -1 }, 'input.rubric.max_revisions must be at least 0'],
    [{ criteria: 'a', max_revisions: 1.5 }, 'input.rubric.max_revisions must be an integer'],
    [{ criteria: 'a', grade: true }, 'input.rubric.grade is not a known field'],
    [{ criteria: 'a', pass: { a: 1 } }, 'input.rubric.pass is only for scores'],
    [scored({}), 'input.rubric.scores.properties must have 1 to 20 scores'],
    [
      scored(Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, { type: 'boolean' }]))),
      'input.rubric.scores.properties must have 1 to 20 scores',
    ],
    [
      scored({ a: { type: 'string' } }),
      'input.rubric.scores.properties.a.type must be one of "integer", "number", "boolean"',
    ],
    [scored({ a: { type: 'boolean', pattern: 'x' } }), 'input.rubric.scores.properties.a.pattern is not a known field'],
    [
      scored({ 'a b': { type: 'boolean' } }),
      'input.rubric.scores.properties["a b"] must match /^[a-z][a-z0-9_]{0,63}$/i',
    ],
    [
      scored({ a: { type: 'integer' } }, { a: 1 }),
      'input.rubric.scores.properties.a must have a minimum and a larger maximum',
    ],
    [
      scored({ a: { type: 'number', minimum: 2, maximum: 2 } }, { a: 2 }),
      'input.rubric.scores.properties.a must have a minimum and a larger maximum',
    ],
    [scored({ a: accuracy }), 'input.rubric.pass.a is required: the lowest score that passes'],
    [scored({ a: accuracy }, { a: 6 }), 'input.rubric.pass.a must be from the minimum 1 to the maximum 5 of the score'],
    [scored({ a: accuracy }, { a: 0 }), 'input.rubric.pass.a must be from the minimum 1 to the maximum 5 of the score'],
    [scored({ a: accuracy }, { a: 4, b: 4 }), 'input.rubric.pass.b is not the name of a score'],
    [scored({ a: { type: 'boolean' } }, { a: 1 }), 'input.rubric.pass.a is for a boolean, which passes if it is true'],
    [
      scored({ a: { type: 'boolean', minimum: 1 } }),
      'input.rubric.scores.properties.a is a boolean, which has no minimum and maximum',
    ],
  ])('case %#: is refused: %j', (given, problem) => {
    expect(problemOf(given)).toBe(problem)
  })

  test('of an agent has no say in the result of a run', () => {
    expect(problemOf({ criteria: 'a', include_grade: true }, 'agent')).toBe(
      'input.rubric.include_grade is not a known field',
    )
  })
})
