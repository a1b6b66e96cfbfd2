// The keyboard of a field with a list of suggestions below it: the field keeps the focus, the arrow keys move through
// the list, and Enter chooses. It is the pattern "combobox" of the ARIA practices.
import { type KeyboardEvent, useEffect, useId, useState } from 'react'

interface ListKeys {
  readonly count: number
  /** Which of them is active at first. -1: none, so that Enter keeps its meaning in the form. */
  readonly first: number
  /** Another one begins at the first again. */
  readonly of: string
  readonly onChoose: (index: number) => void
}

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

export const useListKeys = ({ count, first, of, onChoose }: ListKeys) => {
  const id = useId()
  const [moved, setMoved] = useState({ of, to: first })
  const active = moved.of === of ? Math.min(moved.to, count - 1) : Math.min(first, count - 1)
  const optionId = (index: number) => `${id}-${index}`
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = moves[event.key]
    if (step !== undefined && count > 0) {
      event.preventDefault()
      setMoved({ of, to: (Math.max(active, step < 0 ? 0 : -1) + step + count) % count })
    } else if (event.key === 'Enter' && active >= 0) {
      event.preventDefault()
      onChoose(active)
    }
  }
  return {
    active,
    optionId,
    /** For the field, which has the role `combobox`. */
    field: {
      'aria-autocomplete': 'list',
      'aria-controls': id,
      'aria-activedescendant': active < 0 ? undefined : optionId(active),
      onKeyDown,
    },
    listId: id,
  } as const
}
