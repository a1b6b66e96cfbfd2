// The navigation: a column beside the page, or a bar with a menu on a narrow screen.
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Icon, type IconName } from '../parts/controls/icon.tsx'
import { Mark } from '../parts/controls/mark.tsx'
import { useKeptChoice } from '../parts/kept-choice.ts'
import { Account } from '../session/account.tsx'
import { density, switchDensity } from './density.ts'
import { Navigation } from './navigation.tsx'
import { openPalette } from './palette/palette-host.tsx'
import { openShortcutHelp } from './shortcut-help.tsx'
import { keyText } from './shortcuts.ts'
import { type Theme, theme, themes } from './theme.ts'

export function Header() {
  const [isOpen, setOpen] = useState(false)
  const menuId = useId()
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-4 py-2.5 lg:sticky lg:top-0 lg:h-dvh lg:flex-col lg:flex-nowrap lg:items-stretch lg:gap-4 lg:overflow-y-auto lg:border-r lg:border-b-0 lg:px-3 lg:py-4">
      <Link to="/runs" className="mr-auto flex items-center gap-2.5 font-semibold lg:mr-0 lg:px-2">
        <Mark /> Runwright
      </Link>
      <Button className="lg:hidden" aria-expanded={isOpen} aria-controls={menuId} onClick={() => setOpen(!isOpen)}>
        Menu
      </Button>
      <div id={menuId} className={`${isOpen ? 'flex' : 'hidden'} w-full flex-col gap-4 lg:flex lg:flex-1`}>
        <Navigation />
        <Footer />
      </div>
    </header>
  )
}

function Footer() {
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3 lg:mt-auto">
      <div className="flex flex-wrap items-center gap-2">
        <ThemeSwitch />
        <DensitySwitch />
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 px-2 text-sm text-muted">
        <a href="../docs" className="underline hover:text-ink">
          API reference
        </a>
        <button type="button" className="underline hover:text-ink" onClick={openShortcutHelp}>
          Shortcuts
        </button>
        <button type="button" className="hover:text-ink" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
          <span className="underline">Go to…</span> <kbd className="font-mono text-xs">{keyText('Mod+k')}</kbd>
        </button>
      </div>
      <Account />
    </div>
  )
}

const looks: Readonly<Record<Theme, { readonly label: string; readonly icon: IconName }>> = {
  system: { label: 'Theme of the system', icon: 'system-theme' },
  light: { label: 'Light theme', icon: 'light' },
  dark: { label: 'Dark theme', icon: 'dark' },
}

function DensitySwitch() {
  const isCompact = useKeptChoice(density) === 'compact'
  return (
    <button
      type="button"
      title="Compact lines"
      aria-label="Compact lines"
      aria-pressed={isCompact}
      onClick={switchDensity}
      className="rounded-md border border-line px-2.5 py-1.5 text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:text-ink"
    >
      <Icon name="compact" />
    </button>
  )
}

/** Switches between light, dark and the system's choice. */
function ThemeSwitch() {
  const current = useKeptChoice(theme)
  return (
    <fieldset className="flex self-start rounded-md border border-line">
      <legend className="sr-only">Theme</legend>
      {themes.map((choice) => (
        <button
          key={choice}
          type="button"
          title={looks[choice].label}
          aria-label={looks[choice].label}
          aria-pressed={choice === current}
          onClick={() => theme.choose(choice)}
          className="rounded-sm px-2.5 py-1.5 text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:text-ink"
        >
          <Icon name={looks[choice].icon} />
        </button>
      ))}
    </fieldset>
  )
}
