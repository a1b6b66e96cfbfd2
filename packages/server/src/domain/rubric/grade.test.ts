import { describe, expect, test } from 'vitest'
import { describeShortfall, findScoreProblems, gradeOf, maxNotesLength, type Scores } from './grade.ts'
import { type Rubric, readRubric } from './rubric.ts'

const scale = { minimum: 1, maximum: 5 }
const properties = {
  whole: { type: 'integer', ...scale },
  part: { type: 'number', ...scale },
  yes: { type: 'boolean' },
}
const reading = { at: ['rubric'], of: 'run' } as const
const rubric = readRubric({ scores: { properties }, pass: { whole: 4, part: 2.5 } }, reading) as Rubric
const words = readRubric('Be brief.', reading) as Rubric
const scored = (scores: Scores) => gradeOf(rubric, { passes: undefined, scores, notes: '' })

describe('a grade', () => {
  test.each([
    [{ whole: 4, part: 2.5, yes: true }, true],
    [{ whole: 5, part: 5, yes: true }, true],
    [{ whole: 3, part: 5, yes: true }, false],
    [{ whole: 5, part: 2.4, yes: true }, false],
    [{ whole: 5, part: 5, yes: false }, false],
    [{ whole: 5, part: 5 }, false],
  ])('of %j passes: %s', (scores, passed) => {
    expect(scored(scores)).toEqual({ passed, notes: '', scores })
  })

  test('in words is what the judge says, and nothing is no pass', () => {
    const said = (passes: boolean | undefined) => gradeOf(words, { passes, scores: undefined, notes: ' Well. ' })
    expect(said(true)).toEqual({ passed: true, notes: 'Well.' })
    expect(said(false).passed).toBe(false)
    expect(said(undefined).passed).toBe(false)
  })

  test('has notes of a limited length', () => {
    const { notes } = gradeOf(words, { passes: false, scores: undefined, notes: 'x'.repeat(maxNotesLength + 1) })
    expect(notes).toHaveLength(maxNotesLength)
  })

  test('says which scores are too low, and the notes', () => {
    const grade = { ...scored({ whole: 3, part: 5, yes: false }), notes: 'Look again.' }
    expect(describeShortfall(rubric, grade)).toBe('whole is 3; it must be at least 4.\nyes is not met.\nLook again.')
    expect(describeShortfall(words, { passed: false, notes: '' })).toBe('')
  })
})

test.each([
  [{ whole: 4, part: 2.5, yes: false, more: 'x' }, []],
  [
    { whole: 4.5, part: '3', yes: 1 },
    [
      'scores.whole must be an integer from 1 to 5',
      'scores.part must be a number from 1 to 5',
      'scores.yes must be true or false',
    ],
  ],
  [
    { whole: 6, part: 0, yes: true },
    ['scores.whole must be an integer from 1 to 5', 'scores.part must be a number from 1 to 5'],
  ],
  [{ whole: 4, part: Number.NaN, yes: true }, ['scores.part must be a number from 1 to 5']],
])('the scores %j are on their scales, apart from %j', (given, problems) => {
  expect(findScoreProblems(rubric.scores, given)).toEqual(problems)
})
