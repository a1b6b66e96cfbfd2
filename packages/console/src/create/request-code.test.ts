import { execFileSync } from 'node:child_process'
import type { CreateRunRequest } from '@runwright/client'
import { expect, test } from 'vitest'
import { codeOf } from './request-code.ts'

const request: CreateRunRequest = {
  input: {
    goal: `It's "quoted" \\ $HOME \`id\` \u2028 ü 😀\nsecond line`,
    flags: [true, false, null, -1.5, [], {}, { true: 'null' }],
  },
  run_class: 'long',
}
const sent = { metadata: {}, ...request }
const url = 'http://127.0.0.1:8080/'

test('curl sends the request as it is, through a shell', () => {
  const script = codeOf('curl', request, url).replace(
    /^curl/,
    `node -e 'console.log(JSON.stringify(process.argv.slice(1)))' --`,
  )
  const told = JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } }))
  expect(told[0]).toBe('http://127.0.0.1:8080/v1/runs')
  expect(JSON.parse(told.at(-1))).toEqual(sent)
})

test('TypeScript passes the request to the client', () => {
  const code = codeOf('TypeScript', request, url)
  const [, literal = ''] = /runs\.create\(([\s\S]*)\)\nconsole/.exec(code) ?? []
  expect(JSON.parse(literal)).toEqual(sent)
  expect(code).toContain('baseUrl: "http://127.0.0.1:8080"')
})

test('Python has a literal with the same value', () => {
  const code = codeOf('Python', request, url)
  const [, literal = ''] = /create_run\(([\s\S]*)\)\n {4}print/.exec(code) ?? []
  const program = 'import ast, json, sys; print(json.dumps(ast.literal_eval(sys.stdin.read())))'
  expect(JSON.parse(execFileSync('python3', ['-c', program], { input: literal, encoding: 'utf8' }))).toEqual(sent)
})
