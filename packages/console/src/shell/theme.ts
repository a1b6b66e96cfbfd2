// Light, dark, or as the system has it. Only a choice of the user is stored.

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageName = 'runwright.theme'

const isTheme = (word: string | null): word is Theme => (themes as readonly (string | null)[]).includes(word)

export const findTheme = (): Theme => {
  try {
    const stored = window.localStorage.getItem(storageName)
    return isTheme(stored) ? stored : 'system'
  } catch {
    // The browser forbids storage: then the choice lasts until the page is closed.
    return 'system'
  }
}

/** The style sheet follows the system unless this attribute says otherwise. */
export const showTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  showTheme(theme)
  try {
    if (theme === 'system') window.localStorage.removeItem(storageName)
    else window.localStorage.setItem(storageName, theme)
  } catch {
    // As above.
  }
}
