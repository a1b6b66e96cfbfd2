// Asks before a run is created once more: its tools are called again.
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'

interface RunAgainDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onYes: () => void
}

export function RunAgainDialog({ isOpen, onClose, onYes }: RunAgainDialogProps) {
  return (
    <Dialog title="Run this again?" isOpen={isOpen} onClose={onClose}>
      <p>
        A new run starts with the same request. It uses tokens, and calls its tools again: what was sent or paid once
        can be sent or paid twice.
      </p>
      <Choice keep="Do not run it" onKeep={onClose}>
        <Button variant="primary" onClick={onYes}>
          Run again
        </Button>
      </Choice>
    </Dialog>
  )
}
