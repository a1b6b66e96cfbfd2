// A button with a shortcut: the key works exactly as long as the button is there and can be pressed.
import { useShortcut } from '../../shell/shortcuts.ts'
import { Button, type ButtonProps } from './button.tsx'

interface ShortcutButtonProps extends ButtonProps {
  /** Undefined: no key, for example because another panel of the page has it. */
  readonly shortcut: string | undefined
  /** What the list of shortcuts calls it. */
  readonly name: string
  readonly onPress: () => void
}

export function ShortcutButton({ shortcut, name, onPress, disabled = false, ...props }: ShortcutButtonProps) {
  useShortcut(disabled ? undefined : shortcut, name, onPress)
  return <Button disabled={disabled} aria-keyshortcuts={disabled ? undefined : shortcut} onClick={onPress} {...props} />
}
