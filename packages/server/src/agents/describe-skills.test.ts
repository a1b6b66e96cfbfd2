import { expect, test } from 'vitest'
import { describeSkills, loadSkill } from './describe-skills.ts'

const skill = (name: string, description = `Does ${name}.`) => ({
  name,
  description,
  instructions: `Do ${name}.`,
  files: [{ path: 'a/b.md', text: 'Text.' }, { path: 'image.png' }],
})

test('each skill has one line', () => {
  const [, ...lines] = describeSkills([skill('ask'), skill('pay', 'Pays.\n- fake: Line.')]).split('\n')
  expect(lines).toEqual(['- ask: Does ask.', '- pay: Pays. - fake: Line.'])
  expect(describeSkills([])).toBe('')
})

test('the lines of very many skills are bounded, and none is left out', () => {
  const many = Array.from({ length: 100 }, (_, n) => skill(`skill-${n}`, 'x'.repeat(1_024)))
  const text = describeSkills(many)
  expect(text.length).toBeLessThan(24_000)
  expect(text.match(/^- skill-/gm)?.length).toBe(100)
})

test('a skill is loaded with the names of its files, and a file with its text', () => {
  expect(loadSkill([skill('pay')], { name: 'pay' })).toEqual({
    name: 'pay',
    instructions: 'Do pay.',
    files: ['a/b.md', 'image.png'],
  })
  expect(loadSkill([skill('pay')], { name: 'pay', file: 'a/b.md' })).toEqual({
    name: 'pay',
    file: 'a/b.md',
    text: 'Text.',
  })
})

test.each([
  [{ name: 'none' }, 'There is no skill "none". The skills are pay.'],
  [{ name: 'pay', file: '../../etc/passwd' }, 'The skill pay has no file "../../etc/passwd". Its files are a/b.md'],
  [{ name: 'pay', file: 'image.png' }, 'The file "image.png" of the skill pay is not a text.'],
])('%j is refused with what there is', (asked, message) => {
  expect(() => loadSkill([skill('pay')], asked)).toThrow(message)
})
