// The tokens of `style.css`: colors, sizes of text, corners and shadows.
import { Group, Row, Specimen } from './specimen.tsx'

const colors = [
  ['bg-page', 'page'],
  ['bg-surface', 'surface'],
  ['bg-sunken', 'sunken'],
  ['bg-ink', 'ink'],
  ['bg-muted', 'muted'],
  ['bg-line', 'line'],
  ['bg-edge', 'edge'],
  ['bg-accent', 'accent'],
  ['bg-info', 'info'],
  ['bg-good', 'good'],
  ['bg-warn', 'warn'],
  ['bg-bad', 'bad'],
] as const

const sizes = [
  ['text-xl font-semibold', 'xl: the title of a page'],
  ['text-lg font-semibold', 'lg: a question, the title of a dialog'],
  ['text-base', 'base: text'],
  ['text-sm', 'sm: controls, titles of panels, hints'],
  ['text-xs', 'xs: marks and details'],
  ['font-mono text-code', 'code: ids, names of tools, JSON 0123456789'],
  ['tabular-nums', 'tabular-nums: 1,111.10 and 8,888.88'],
] as const

const corners = ['rounded-sm', 'rounded-md', 'rounded-lg', 'rounded-xl', 'rounded-full'] as const
const shadows = ['shadow-marked', 'shadow-bar', 'shadow-lg', 'shadow-xl'] as const

export function Tokens() {
  return (
    <Group title="Tokens">
      <Specimen name="color">
        <ul className="grid grid-cols-3 gap-3 sm:grid-cols-6">
          {colors.map(([look, name]) => (
            <li key={name} className="flex flex-col gap-1 text-xs text-muted">
              <span className={`h-10 rounded-md border border-edge/60 ${look}`} />
              {name}
            </li>
          ))}
        </ul>
      </Specimen>
      <Specimen name="text">
        {sizes.map(([look, words]) => (
          <p key={look} className={look}>
            {words}
          </p>
        ))}
      </Specimen>
      <Specimen name="radius, shadow">
        <Row>
          {[...corners, ...shadows].map((look) => (
            <span key={look} className={`border border-line bg-surface px-4 py-3 text-xs text-muted ${look}`}>
              {look}
            </span>
          ))}
        </Row>
      </Specimen>
    </Group>
  )
}
