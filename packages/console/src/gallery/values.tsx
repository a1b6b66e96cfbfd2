// Values: texts, JSON, times and amounts.
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Bar } from '../parts/values/bar.tsx'
import { ClampedText } from '../parts/values/clamped.tsx'
import { Code } from '../parts/values/code.tsx'
import { Age, Countdown, Duration, Elapsed } from '../parts/values/duration.tsx'
import { Instant } from '../parts/values/instant.tsx'
import { Labels } from '../parts/values/labels.tsx'
import { Markdown } from '../parts/values/markdown.tsx'
import { readableNumber } from '../parts/values/readable.ts'
import { RunDuration } from '../parts/values/run-duration.tsx'
import { TextDiff } from '../parts/values/text-diff.tsx'
import { TextParts } from '../parts/values/text-parts.tsx'
import { ValueActions } from '../parts/values/value-actions.tsx'
import { WithCode } from '../parts/values/with-code.tsx'
import { at, callArguments, longText, markdown } from './examples.ts'
import { Group, Row, Specimen } from './specimen.tsx'

const limit = 1_000
const shares = [
  ['Unused', 0],
  ['Half', 500],
  ['Almost used up', 900],
  ['Used up', 1_000],
] as const

export function Values() {
  return (
    <Group title="Values">
      <Specimen name="Instant, Age, Duration, Elapsed, Countdown">
        <Row>
          <Instant at={at(0)} />
          <Age at={at(-3)} />
          <Duration ms={1_250} />
          <Elapsed since={at(-2)} />
          <Elapsed since={at(-2)} until={at(-1)} />
          <RunDuration run={{ status: 'stalled', metadata: { created_at: at(-2), updated_at: at(-1) } }} />
          <Countdown until={at(120)} />
          <Countdown until={at(10)} />
          <Countdown until={at(0.5)} />
          <Countdown until={at(-1)} />
        </Row>
      </Specimen>
      <Specimen name="Bar">
        <div className="grid gap-3 sm:grid-cols-2">
          {shares.map(([label, value]) => (
            <Bar key={label} label={label} value={value} limit={limit} format={readableNumber} />
          ))}
        </div>
      </Specimen>
      <Specimen name="Labels, ValueActions">
        <Row>
          <Labels of={{ workspace_id: 'north', subject_id: 'ada' }} />
          <ValueActions label="the example" fileName="example.json" value={callArguments} />
        </Row>
      </Specimen>
      <Specimen name="Code">
        <Code label="JSON of the gallery" value={{ goal: 'Compare the offers', amount: 1_146 }} />
        <Code label="Long JSON of the gallery" value={longText} />
      </Specimen>
      <Specimen name="WithCode">
        <p>
          <WithCode text="Words between backticks, such as `R-17`, are code." />
        </p>
      </Specimen>
      <Specimen name="ClampedText">
        <ClampedText text="A short text.">{(shown) => <p>{shown}</p>}</ClampedText>
        <ClampedText text={longText} most={200}>
          {(shown) => <p className="whitespace-pre-wrap">{shown}</p>}
        </ClampedText>
      </Specimen>
      <Specimen name="TextParts">
        <TextParts parts={[{ kind: 'same', text: longText }]} atFirst={1} className="leading-5" />
      </Specimen>
      <Specimen name="ArgumentsTable">
        <ArgumentsTable label="Arguments of the gallery" value={callArguments} />
        <ArgumentsTable label="Empty arguments of the gallery" value={{}} />
      </Specimen>
      <Specimen name="TextDiff">
        <TextDiff label="two texts" before={callArguments.old_text} after={callArguments.new_text} />
      </Specimen>
      <Specimen name="Markdown">
        <Markdown text={markdown} />
      </Specimen>
    </Group>
  )
}
