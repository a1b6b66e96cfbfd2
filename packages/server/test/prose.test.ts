// The language of the docs: phrases that have a plainer word, words written twice, and lines that are too long.
// Comments have plain words and short lines, too.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const filesIn = (folder: string, names: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name) && !/(^|\/)(node_modules|dist|lib|sites)\//.test(name))
    .map((name) => join(folder, name))
const markdownIn = (folder: string): string[] => filesIn(folder, /\.md$/)
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['docs', 'examples', 'clients', 'deploy'].flatMap(markdownIn),
]

/** Each phrase, and what to write instead. */
const plainer: Readonly<Record<string, string>> = {
  'and/or': '"or", or two sentences',
  anew: '"again"',
  'at this point in time': '"now"',
  'due to the fact that': '"because"',
  'e.g.': '"for example" or "such as"',
  'etc.': 'the whole list, or "such as" before it',
  'i.e.': '"that is"',
  'in order to': '"to"',
  'in the event that': '"if"',
  'is able to': '"can"',
  leverage: '"use"',
  'made up': '"invented", or say what it is',
  nobody: '"no client", "no process"',
  obviously: 'nothing',
  'please note': 'nothing',
  'prior to': '"before"',
  seamless: 'what it does',
  simply: 'nothing',
  utilize: '"use"',
  whoever: '"the client", "the caller"',
  'with regard to': '"about"',
}

/** Code is not prose. */
const proseOf = (markdown: string): string =>
  markdown
    .replace(/^(```+)[^\n]*\n[\s\S]*?^\1$/gm, '')
    .replace(/`[^`\n]*`/g, '`code`')
    .replace(/<!--[\s\S]*?-->/g, '')

const phrasePattern = (phrase: string) =>
  new RegExp(`(?<![\\w-])${phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'i')

const badPhrases = (markdown: string): string[] => {
  const prose = proseOf(markdown).replace(/\s+/g, ' ')
  const found = Object.entries(plainer).filter(([phrase]) => phrasePattern(phrase).test(prose))
  return found.map(([phrase, advice]) => `"${phrase}": write ${advice}`)
}

const repeatedWords = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/(?<![\w-])([a-z]+)[ \t]*\n?[ \t]*(?<=\s)\1(?![\w-])/gi)]
    .map(([words]) => words.replace(/\s+/g, ' '))
    .filter((words) => words !== 'that that')

/** Tables and links can't be broken. */
const longLines = (markdown: string): string[] =>
  markdown
    .replace(/^(```+)[^\n]*\n[\s\S]*?^\1$/gm, '')
    .split('\n')
    .filter((line) => line.length > 120 && !line.startsWith('|') && !/^\S*\[[^\]]*\]\(\S+\)\S*$/.test(line.trim()))

const filesOf = (markdown: string) =>
  [...markdown.matchAll(/^```\w+ file=(\S+)/gm)].map(({ index, 1: path = '' }) => ({ index, path }))

/** The site shows the name of a file above its block. On a git host only the prose has it. */
const unnamedFiles = (markdown: string): string[] =>
  filesOf(markdown)
    .filter(({ index, path }) => {
      const section = markdown.slice(0, index).split(/^#+ /m).at(-1) ?? ''
      return !section.replace(/^(```+)[^\n]*\n[\s\S]*?^\1$/gm, '').includes(`\`${path}\``)
    })
    .map(({ path }) => path)

describe.each(documents)('%s', (document) => {
  const text = readFileSync(join(root, document), 'utf8')

  test('has no phrase that has a plainer word', () => {
    expect(badPhrases(text)).toEqual([])
  })

  test('has no word written twice', () => {
    expect(repeatedWords(text)).toEqual([])
  })

  test('names each file before it shows what the file contains', () => {
    expect(unnamedFiles(text)).toEqual([])
  })

  test('has no line above 120 characters', () => {
    expect(longLines(text)).toEqual([])
  })
})

test('code is not prose, and a phrase in prose is found', () => {
  expect(badPhrases('Use `in order to` here.\n```sh\necho e.g. this\n```\n')).toEqual([])
  expect(badPhrases('In order\nto run it')).toHaveLength(1)
  expect(badPhrases('Please note that')).toEqual(['"please note": write nothing'])
  expect(repeatedWords('the\nthe end')).toEqual(['the the'])
})

test('a file that only the fence names is found', () => {
  expect(unnamedFiles('Save it as `a.js`:\n\n```js file=a.js\n```\n')).toEqual([])
  expect(unnamedFiles('`a.js`\n\n## Next\n\n```sh\ncat `a.js`\n```\n\n```js file=a.js\n```\n')).toEqual(['a.js'])
})

/** The types of the client are generated. */
const sources = ['packages', 'scripts', 'bench', 'examples']
  .flatMap((folder) => filesIn(folder, /\.(?:[cm]?[jt]sx?|sql)$/))
  .filter((path) => path !== 'packages/client/src/wire.ts')

const commentLines = (source: string): string[] =>
  source.split('\n').filter((line) => /^\s*(?:\/\/|\/?\*\*?|--) /.test(line))

test('comments have no phrase that has a plainer word', () => {
  const found = sources.flatMap((path) =>
    commentLines(readFileSync(join(root, path), 'utf8'))
      .flatMap(badPhrases)
      .map((phrase) => `${path}: ${phrase}`),
  )
  expect(found).toEqual([])
  expect(commentLines("const a = 'in order to'\n  // in order to").flatMap(badPhrases)).toHaveLength(1)
})

/** Links can't be broken. */
const longComments = (source: string): string[] =>
  commentLines(source).filter((line) => line.length > 120 && !line.includes('://'))

test('comments have no line above 120 characters', () => {
  expect(sources.length).toBeGreaterThan(1_000)
  const long = sources.filter((path) => longComments(readFileSync(join(root, path), 'utf8')).length > 0)
  expect(long).toEqual([])
  expect(
    longComments(`  // ${'word '.repeat(30)}\n-- ${'word '.repeat(30)}\n  text(\`${'word '.repeat(30)}\`)`),
  ).toHaveLength(2)
})
