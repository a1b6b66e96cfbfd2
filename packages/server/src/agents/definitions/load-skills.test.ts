import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSkillsFolder } from './load-skills.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'runwright-skills-'))
})
afterEach(() => rm(root, { recursive: true }))

async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}
const skill = (name: string, more = '') => `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\nDo it.\n`

test('a skill has its instructions and its files, in the order of their paths', async () => {
  await write({
    'pay/SKILL.md': skill(
      'pay',
      'license: MIT\nversion: 2\nallowed-tools: Bash(git:*) Read\nmetadata:\n  author: us\n',
    ),
    'pay/scripts/z.sh': 'echo z',
    'pay/b.md': 'Ümlaut',
    'pay/image.png': Buffer.from([0x89, 0x50, 0xff, 0x00]),
    'pay/.git/config': 'hidden',
    'ask/SKILL.md': skill('ask'),
    'README.md': 'Not a skill.',
    '.cache/x': 'hidden',
  })
  expect(await loadSkillsFolder(root)).toEqual([
    { name: 'ask', description: 'Does ask.', instructions: 'Do it.', files: [] },
    {
      name: 'pay',
      description: 'Does pay.',
      instructions: 'Do it.',
      files: [{ path: 'b.md', text: 'Ümlaut' }, { path: 'image.png' }, { path: 'scripts/z.sh', text: 'echo z' }],
    },
  ])
})

describe('one sentence says what is wrong with', () => {
  const expectRefusal = (problem: string) =>
    expect(loadSkillsFolder(root)).rejects.toThrow(new RegExp(`^RUNWRIGHT_SKILLS_DIR: .*${problem}.*\\.$`))

  test.each([
    ['a folder without SKILL.md', { 'pay/readme.md': 'x' }, 'pay, the file SKILL.md is missing'],
    ['a missing front matter', { 'pay/SKILL.md': 'Do it.' }, 'SKILL.md, the front matter is missing'],
    ['a missing description', { 'pay/SKILL.md': '---\nname: pay\n---\nDo.' }, 'description is required'],
    ['a missing name', { 'pay/SKILL.md': '---\ndescription: x\n---\nDo.' }, 'name is required'],
    ['another name', { 'pay/SKILL.md': skill('pays') }, 'name must be that of the folder, "pay", and is "pays"'],
    ['a bad name', { 'Pay/SKILL.md': skill('Pay') }, 'name must match'],
    ['two hyphens in the name', { 'a--b/SKILL.md': skill('a--b') }, 'name must match'],
    ['a long name', { [`${'a'.repeat(65)}/SKILL.md`]: skill('a'.repeat(65)) }, 'name must have at most 64'],
    [
      'a long description',
      { 'pay/SKILL.md': `---\nname: pay\ndescription: ${'x'.repeat(1_025)}\n---\nDo.` },
      'description must have at most 1024',
    ],
    ['no instructions', { 'pay/SKILL.md': '---\nname: pay\ndescription: x\n---\n' }, 'the instructions are missing'],
    ['a large file', { 'pay/SKILL.md': skill('pay'), 'pay/a': 'x'.repeat(262_145) }, 'has more than 262,144 bytes'],
    ['other bytes', { 'pay/SKILL.md': Buffer.from([0xff, 0xfe]) }, 'SKILL.md, the file is not UTF-8'],
  ])('%s', async (_, files, problem) => {
    await write(files as Record<string, string | Buffer>)
    await expectRefusal(problem)
  })

  test('too many files', async () => {
    const many = Array.from({ length: 101 }, (_, n) => [`pay/${n}`, 'x'] as const)
    await write({ 'pay/SKILL.md': skill('pay'), ...Object.fromEntries(many) })
    await expectRefusal('the skill has more than 100 files')
  })

  test('too many bytes together', async () => {
    const files = Array.from({ length: 20 }, (_, n) => [`pay/${n}`, 'x'.repeat(250_000)] as const)
    await write({ 'pay/SKILL.md': skill('pay'), ...Object.fromEntries(files) })
    await expectRefusal('the skills have more than 4,194,304 bytes together')
  })

  test('too many bytes together, before all of them are read', async () => {
    const large = Array.from({ length: 17 }, (_, n) => [`a/${n}`, 'x'.repeat(250_000)] as const)
    // The next skill is wrong, and never looked at.
    await write({ 'a/SKILL.md': skill('a'), ...Object.fromEntries(large), 'b/SKILL.md': 'x' })
    await expectRefusal('the skills have more than 4,194,304 bytes together')
  })

  test('a link that leads out: a file, a folder of files, and the skill itself', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'runwright-outside-'))
    await writeFile(join(outside, 'SKILL.md'), skill('pay'))
    await write({ 'pay/SKILL.md': skill('pay') })
    await symlink(join(outside, 'SKILL.md'), join(root, 'pay/file'))
    await expectRefusal('pay/file, the file is a link that leads out of the folder')
    await rm(join(root, 'pay/file'))
    await symlink(outside, join(root, 'pay/folder'))
    await expectRefusal('pay/folder, the file is a link that leads out of the folder')
    await rm(join(root, 'pay'), { recursive: true })
    await symlink(outside, join(root, 'pay'))
    await expectRefusal('pay, the folder is a link that leads out')
    await rm(outside, { recursive: true })
  })

  test('a folder that is not there', async () => {
    await expect(loadSkillsFolder(join(root, 'none'))).rejects.toThrow('none does not exist.')
  })
})
