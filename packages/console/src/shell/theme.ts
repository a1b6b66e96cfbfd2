// Light, dark, or as the system has it. Only a choice of the user is stored.
import { keepInBrowser, readKept } from '../parts/kept-in-browser.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageName = 'runwright.theme'

const isTheme = (word: string | null): word is Theme => (themes as readonly (string | null)[]).includes(word)

export const findTheme = (): Theme => {
  const stored = readKept(storageName)
  return isTheme(stored) ? stored : 'system'
}

/** The style sheet follows the system unless this attribute says otherwise. */
export const showTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  showTheme(theme)
  keepInBrowser(storageName, theme === 'system' ? null : theme)
}
