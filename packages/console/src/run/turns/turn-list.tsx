// A list of turns of which one is chosen. Only those in view are on the page.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { useShortcut } from '../../shell/shortcuts.ts'

const rowHeight = 52

interface TurnListProps<Item> {
  readonly label: string
  readonly turns: readonly Item[]
  readonly chosen: Item | undefined
  readonly onChoose: (item: Item) => void
  /** Two lines about a turn. */
  readonly children: (item: Item) => ReactNode
}

export function TurnList<Item>({ label, turns, chosen, onChoose, children }: TurnListProps<Item>) {
  const scroller = useRef<HTMLElement>(null)
  const list = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 0, height: 640 },
  })
  const at = chosen === undefined ? -1 : turns.indexOf(chosen)
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at)
  }, [at, list])
  const move = (by: number) => {
    const to = turns[at + by]
    if (to) onChoose(to)
  }
  useShortcut('j', 'Next turn', () => move(1))
  useShortcut('k', 'Previous turn', () => move(-1))
  return (
    <section
      ref={scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the list must be scrollable by keyboard.
      tabIndex={0}
      className="overflow-y-auto rounded-lg border border-line bg-surface -outline-offset-2"
      style={{ height: Math.min(640, turns.length * rowHeight + 2), maxHeight: '70dvh' }}
    >
      <ol className="relative w-full" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const one = turns[index]
          return (
            one && (
              <li
                key={index}
                aria-setsize={turns.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              >
                <button
                  type="button"
                  aria-current={one === chosen}
                  onClick={() => onChoose(one)}
                  className="flex h-full w-full flex-col justify-center px-3 text-left text-sm -outline-offset-2 hover:bg-sunken/60 aria-[current=true]:bg-accent/10 aria-[current=true]:shadow-marked"
                >
                  {children(one)}
                </button>
              </li>
            )
          )
        })}
      </ol>
    </section>
  )
}
