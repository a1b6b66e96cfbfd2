// Dialogs open at a press: one at a time, as everywhere.
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { ConfirmDialog } from '../parts/controls/confirm-dialog.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { brokenRequest } from './examples.ts'
import { Group, Row, Specimen } from './specimen.tsx'

const kinds = ['dialog', 'question', 'failing question'] as const

export function Dialogs() {
  const [open, setOpen] = useState<(typeof kinds)[number]>()
  const close = () => setOpen(undefined)
  return (
    <Group title="Dialogs">
      <Specimen name="Dialog, Choice, ConfirmDialog">
        <Row>
          {kinds.map((kind) => (
            <Button key={kind} onClick={() => setOpen(kind)}>
              Open the {kind}
            </Button>
          ))}
        </Row>
        <Dialog title="A dialog" isOpen={open === 'dialog'} onClose={close}>
          <Field label="A field of the dialog">{(field) => <input {...field} className={inputClass} />}</Field>
          <Choice keep="Keep it" onKeep={close}>
            <Button onClick={close}>Change it</Button>
          </Choice>
        </Dialog>
        <ConfirmDialog
          title="A question"
          isOpen={open === 'question'}
          doLabel="Delete it"
          action={async () => announce('Deleted.')}
          onClose={close}
          onDone={close}
        >
          What is deleted cannot be brought back.
        </ConfirmDialog>
        <ConfirmDialog
          title="A question whose action fails"
          isOpen={open === 'failing question'}
          doLabel="Delete it, and fail"
          action={() => Promise.reject(brokenRequest)}
          onClose={close}
          onDone={close}
        >
          The problem is shown in the dialog.
        </ConfirmDialog>
      </Specimen>
    </Group>
  )
}
