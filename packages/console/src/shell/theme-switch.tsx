// Switches between light, dark and the system's choice.
import { useState } from 'react'
import { Icon, type IconName } from '../parts/controls/icon.tsx'
import { chooseTheme, findTheme, type Theme, themes } from './theme.ts'

const looks: Readonly<Record<Theme, { readonly label: string; readonly icon: IconName }>> = {
  system: { label: 'Theme of the system', icon: 'system-theme' },
  light: { label: 'Light theme', icon: 'light' },
  dark: { label: 'Dark theme', icon: 'dark' },
}

export function ThemeSwitch() {
  const [current, setCurrent] = useState(findTheme)
  const choose = (theme: Theme) => {
    chooseTheme(theme)
    setCurrent(theme)
  }
  return (
    <fieldset className="flex self-start rounded-md border border-line">
      <legend className="sr-only">Theme</legend>
      {themes.map((theme) => (
        <button
          key={theme}
          type="button"
          title={looks[theme].label}
          aria-label={looks[theme].label}
          aria-pressed={theme === current}
          onClick={() => choose(theme)}
          className="rounded-[5px] px-2.5 py-1.5 text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:text-ink"
        >
          <Icon name={looks[theme].icon} />
        </button>
      ))}
    </fieldset>
  )
}
