import { expect, test } from 'vitest'
import { finish } from '../../domain/finish.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { rankTools } from './rank-tools.ts'

const tool = (name: string, description = '', properties: object = {}): ToolOffer => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
})
const rank = (tools: readonly ToolOffer[], query: string) => finish(rankTools(tools, query)).map(({ name }) => name)

const desk = [
  tool('github.create_issue', 'Opens a new issue in a repository.', { owner: {}, title: {} }),
  tool('github.list_issues', 'Lists the issues of a repository.', { owner: {}, state: {} }),
  tool('github.merge_pull_request', 'Merges a pull request of a repository.', { pull_number: {} }),
  tool('jira.createTicket', 'Creates a ticket.', { summary: {}, assignee: {} }),
  tool('mail.send', 'Sends a message to somebody.', { recipient: {}, subject: {} }),
]

test.each([
  ['create an issue', 'github.create_issue'],
  ['list issues', 'github.list_issues'],
  ['creates tickets', 'jira.createTicket'],
  ['CREATE TICKET', 'jira.createTicket'],
  ['merged requests', 'github.merge_pull_request'],
  ['assignee', 'jira.createTicket'],
  ['message', 'mail.send'],
  ['mail.send', 'mail.send'],
])('%s finds %s first', (query, first) => {
  expect(rank(desk, query)[0]).toBe(first)
})

test('a word in the name counts more than one in the description, and a rare word more than a common one', () => {
  expect(rank([tool('a.other', 'Pays a bill.'), tool('a.pay')], 'pay')).toEqual(['a.pay', 'a.other'])
  const many = Array.from({ length: 20 }, (_, n) => tool(`crm.list_${n}`, 'Lists records.'))
  expect(rank([...many, tool('crm.list_invoices')], 'list invoices')).toEqual(['crm.list_invoices'])
})

test('the whole name of a tool is always first', () => {
  const tools = [tool('a.get_user_list_of_group'), tool('a.get'), tool('a.get_user')]
  expect(rank(tools, 'please a.get now')[0]).toBe('a.get')
})

test('equal scores are ordered by name, whatever the order of the tools', () => {
  const tools = ['c.pay', 'a.pay', 'b.pay'].map((name) => tool(name))
  expect(rank(tools, 'pay')).toEqual(['a.pay', 'b.pay', 'c.pay'])
  expect(rank(tools.toReversed(), 'pay')).toEqual(['a.pay', 'b.pay', 'c.pay'])
})

test('descriptions in scripts without spaces are found', () => {
  expect(rank([tool('a.x', '创建一个新的工单'), tool('a.y', '发送邮件')], '工单')).toEqual(['a.x'])
})

test.each(['', '   ', '.*', '(((', 'zebra', '\u{1f600}'])('%j finds nothing', (query) => {
  expect(rank(desk, query)).toEqual([])
})

test('a query and a description from a stranger cost a bounded time', () => {
  const long = 'create issue '.repeat(200_000)
  const hostile = [tool('a.x', long), tool('a.y', 'a'.repeat(2_000_000)), ...desk]
  expect(rank(hostile, long).length).toBeGreaterThan(0)
  // What is beyond the limits is not read.
  expect(rank([tool('a.x', `${'x '.repeat(2_000)}zebra`)], 'zebra')).toEqual([])
  expect(rank(desk, `${'x'.repeat(500)} issue`)).toEqual([])
})

test('names of arguments may be anything, and a schema may have none', () => {
  const odd = [
    tool('a.x', '', { __proto__: null, constructor: {}, '[bracket': {} }),
    { ...tool('a.y'), inputSchema: { properties: 5 } },
  ]
  expect(rank(odd, 'constructor')).toEqual(['a.x'])
})
