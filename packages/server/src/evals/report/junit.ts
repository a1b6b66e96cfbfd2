// A report as JUnit XML, which CI systems show: a suite for each file, a test for each case.
import type { CaseReport, Report } from './report.ts'

export function toJunit({ cases }: Report): string {
  const files = [...new Set(cases.map(({ file }) => file))]
  const suites = files.map((file) =>
    writeSuite(
      file,
      cases.filter((each) => each.file === file),
    ),
  )
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function writeSuite(file: string, cases: readonly CaseReport[]): string {
  const failures = cases.filter((each) => each.passed < each.trials.length).length
  const time = secondsOf(cases.flatMap(({ trials }) => trials))
  const attributes = `name="${escapeXml(file)}" tests="${cases.length}" failures="${failures}" errors="0" time="${time}"`
  return [`  <testsuite ${attributes}>`, ...cases.map(writeCase), '  </testsuite>'].join('\n')
}

function writeCase({ name, file, trials, passed }: CaseReport): string {
  const attributes = `name="${escapeXml(name)}" classname="${escapeXml(file)}" time="${secondsOf(trials)}"`
  if (passed === trials.length) return `    <testcase ${attributes}/>`
  const failed = trials.flatMap(({ problems }, index) => problems.map((problem) => `trial ${index + 1}: ${problem}`))
  const message = `${passed} of ${trials.length} trials passed; ${failed[0] ?? ''}`
  return [
    `    <testcase ${attributes}>`,
    `      <failure message="${escapeXml(message)}">${escapeXml(failed.join('\n'))}</failure>`,
    '    </testcase>',
  ].join('\n')
}

const secondsOf = (trials: CaseReport['trials']): string =>
  trials.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Problems quote what models wrote, so control characters, which XML does not allow, are replaced. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character)
