// Buttons, fields and tabs.
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Combobox, type Suggestion } from '../parts/controls/combobox.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { HoldButton } from '../parts/controls/hold-button.tsx'
import { Icon } from '../parts/controls/icon.tsx'
import { linkButton } from '../parts/controls/link-button.ts'
import { Mark } from '../parts/controls/mark.tsx'
import { ShortcutButton } from '../parts/controls/shortcut-button.tsx'
import { Tabs } from '../parts/controls/tabs.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { Group, Row, Specimen } from './specimen.tsx'

const variants = ['primary', 'plain', 'danger', 'quiet'] as const
const icons = ['runs', 'inbox', 'create', 'close', 'copy', 'done', 'warning', 'tool', 'person', 'again'] as const
const tabs = [
  { name: 'steps', label: 'Steps' },
  { name: 'events', label: 'Events' },
  { name: 'result', label: 'Result' },
] as const

const fruits: readonly Suggestion[] = [{ value: 'apple', note: 'Grows on a tree.' }, { value: 'pear' }]

export function Controls() {
  return (
    <Group title="Controls">
      <Specimen name="Button">
        <Row>
          {variants.map((variant) => (
            <Button key={variant} variant={variant}>
              {variant}
            </Button>
          ))}
          {variants.map((variant) => (
            <Button key={variant} variant={variant} disabled>
              {variant}, disabled
            </Button>
          ))}
        </Row>
      </Specimen>
      <Specimen name="linkButton">
        <Row>
          <a href="#/runs" className={linkButton('primary')}>
            Primary link
          </a>
          <a href="#/runs" className={linkButton('plain')}>
            Plain link
          </a>
        </Row>
      </Specimen>
      <Specimen name="ShortcutButton">
        <Row>
          <ShortcutButton shortcut="g" name="Press g" onPress={() => announce('Pressed.')}>
            With the key g
          </ShortcutButton>
          <ShortcutButton shortcut="x" name="Never" disabled onPress={() => announce('Pressed.')}>
            Disabled, its key too
          </ShortcutButton>
        </Row>
      </Specimen>
      <Specimen name="HoldButton">
        <HoldButton name="Hold" hasShortcut disabled={false} onHeld={() => announce('Held.')}>
          Hold me
        </HoldButton>
        <HoldButton name="Hold" hasShortcut={false} disabled onHeld={() => announce('Held.')}>
          Cannot be held
        </HoldButton>
      </Specimen>
      <Specimen name="CopyButton">
        <Row>
          <CopyButton text="text" label="Copy the text" />
          <CopyButton text="text" label="Copy the text, said" isTextShown />
        </Row>
      </Specimen>
      <Specimen name="Field">
        <Fields />
      </Specimen>
      <Specimen name="Combobox">
        <Field label="Fruit">
          {(field) => <Combobox {...field} name="fruit" listLabel="Fruits" suggestions={fruits} />}
        </Field>
      </Specimen>
      <Specimen name="Tabs">
        <ShownTabs />
      </Specimen>
      <Specimen name="Icon, Mark">
        <Row>
          <Mark />
          {icons.map((name) => (
            <Icon key={name} name={name} />
          ))}
        </Row>
      </Specimen>
    </Group>
  )
}

function Fields() {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Empty">{(field) => <input {...field} className={inputClass} placeholder="Placeholder" />}</Field>
      <Field label="With a hint" hint="What it is for.">
        {(field) => <input {...field} className={inputClass} defaultValue="Value" />}
      </Field>
      <Field label="With an error" error="This is not valid." hint="What it is for.">
        {(field) => <input {...field} className={inputClass} defaultValue="Wrong" />}
      </Field>
      <Field label="Choice">
        {(field) => (
          <select {...field} className={inputClass}>
            <option>One</option>
            <option>Two</option>
          </select>
        )}
      </Field>
      <Field label="Long text">{(field) => <textarea {...field} className={inputClass} rows={3} />}</Field>
      <Field label="Disabled">
        {(field) => <input {...field} className={inputClass} disabled defaultValue="Cannot be changed" />}
      </Field>
    </div>
  )
}

function ShownTabs() {
  const [current, setCurrent] = useState<(typeof tabs)[number]['name']>('steps')
  return (
    <Tabs label="Tabs of the gallery" tabs={tabs} current={current} onChoose={setCurrent}>
      <p>The panel of {current}.</p>
    </Tabs>
  )
}
