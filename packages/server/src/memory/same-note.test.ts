import { expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../test/support/cpu-time.ts'
import { maxContentLength, maxTitleLength } from '../tools/built-in/memory-save.ts'
import { isSameNote } from './same-note.ts'

const note = (text: string) => {
  const [title = '', content = ''] = text.split(': ')
  return { title, content }
}

test.each([
  [
    'Approval limit: Payments over 1,000 dollars need an approval.',
    'Payment approval limit: Payments over 1,000 dollars need an approval.',
  ],
  ['Backup: The database is backed up every night at two.', 'Backups: The database is backed up each night at two.'],
  ['Dark theme: The user prefers a dark theme.', 'dark theme: The user prefers the dark theme'],
  [
    'Weekly meeting: The weekly meeting takes place on Monday.',
    'Weekly meeting on Monday: The weekly meeting takes place on Mondays.',
  ],
  [
    'Refund rule: Refunds need consent when the order is old.',
    'Rule of refunds: Refunds need consent if the order is old.',
  ],
])('the same in other clothes: %s | %s', (one, other) => {
  expect(isSameNote(note(one), note(other))).toBe(true)
  expect(isSameNote(note(other), note(one))).toBe(true)
})

test.each([
  ['Meeting: The meeting takes place on Monday.', 'Meeting day: The meeting takes place on Tuesday.'],
  ['Invoice 1001: The invoice was paid.', 'Invoice 1002: The invoice was paid.'],
  ['Allergy: Alice is allergic to peanuts.', 'No allergy: Alice is not allergic to peanuts.'],
  ['Manager of Alice: Alice reports to Bob.', 'Manager of Bob: Bob reports to Alice.'],
  ['Team A: Team A deploys on Thursdays.', 'Team B: Team B deploys on Thursdays.'],
  ['Theme: The user prefers a dark theme.', 'Colour: The user prefers a light theme.'],
  ['Server: It runs in Rust.', 'Server: It runs in Ruby.'],
  ['Frost: It was -5 degrees.', 'Frost today: It was 5 degrees.'],
  ['Mood: 😀', 'Moods: 🙁'],
])('not the same: %s | %s', (one, other) => {
  expect(isSameNote(note(one), note(other))).toBe(false)
})

test('a hundred of the longest notes, each compared with all others, take a moment', async () => {
  // A character that NFKC writes as 18.
  const notes = Array.from({ length: 100 }, () => ({
    title: '\u{fdfa}'.repeat(maxTitleLength),
    content: `${'\u{fdfa} '.repeat(maxContentLength / 2)}`,
  }))
  const [first] = notes
  expect(notes.every((note) => isSameNote(note, first as (typeof notes)[number]))).toBe(true)
  const compareAll = () => notes.map((one) => notes.map((other) => isSameNote(one, other)))
  expect(await longestTurnMs(compareAll)).toBeLessThan(promisedTurnMs)
})
